import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aBareDevice, aPeer, type Bare } from './bare.ts';
import type { Peer } from './peer.ts';
import type { Person } from './people/person.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const shopJid = `${SHOP}@s.whatsapp.net`;
const annaJid = `${ANNA}@s.whatsapp.net`;

async function aChat(t: Parameters<typeof aPeer>[0]): Promise<{ peer: Peer; shop: Bare; anna: Person; said: string }> {
  const peer = await aPeer(t);
  const anna = peer.contact(ANNA);
  const shop = await aBareDevice(t, peer, SHOP);
  const said = await anna.writes(SHOP, 'Hi');
  await shop.receives(said);
  return { peer, shop, anna, said };
}

const shown = (peer: Peer, id: string) => peer.journal.untilEvent('shown', { id, on: ANNA });

describe('a computer and a phone in a simulated chat', () => {
  it('show reactions, edits and deletions from the computer on the phone', async (t) => {
    const { peer, shop, anna, said } = await aChat(t);
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'Helo' }))!;
    await shown(peer, key.id!);
    const reacted = await shop.sock.sendMessage(annaJid, { react: { text: '👍', key: { remoteJid: annaJid, fromMe: false, id: said } } });
    await peer.journal.untilStanza({ way: 'down', tag: 'receipt', attrs: { id: reacted!.key.id! } });
    assert.deepEqual([...anna.shown(said).reactions], [[SHOP, '👍']]);
    const edited = await shop.sock.sendMessage(annaJid, { text: 'Hello', edit: key });
    await peer.journal.untilStanza({ way: 'down', tag: 'receipt', attrs: { id: edited!.key.id! } });
    assert.deepEqual([anna.shown(key.id!).text, anna.shown(key.id!).isEdited], ['Hello', true]);
    const deleted = await shop.sock.sendMessage(annaJid, { delete: key });
    await peer.journal.untilStanza({ way: 'down', tag: 'receipt', attrs: { id: deleted!.key.id! } });
    assert.equal(anna.shown(key.id!).isDeleted, true);
  });

  it('show reactions, edits and deletions from the phone on the computer', async (t) => {
    const { shop, anna, said } = await aChat(t);
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'Hello' }))!;
    await shop.reaches(key.id!, 4);
    await anna.reacts(SHOP, key.id!, '🎉');
    const reaction = await shop.hears('messages.reaction', (all) => all.find((each) => each.reaction.text === '🎉'));
    assert.deepEqual([reaction.key.id, reaction.key.fromMe], [key.id, true]);
    await anna.edits(SHOP, said, 'Hi there');
    const edit = await shop.hears('messages.update', (all) => all.find((each) => each.update.message?.editedMessage));
    assert.equal(edit.key.id, said);
    await anna.deletes(SHOP, said);
    assert.ok(await shop.hears('messages.update', (all) => all.find(({ key: { id }, update }) => id === said && update.message === null)));
  });

  it('exchange polls and votes', async (t) => {
    const { peer, shop, anna } = await aChat(t);
    const { key } = (await shop.sock.sendMessage(annaJid, { poll: { name: 'When?', values: ['Mon', 'Tue'], selectableCount: 1 } }))!;
    await shown(peer, key.id!);
    const id = await anna.votes(SHOP, key.id!, ['Tue']);
    const { message } = await shop.receives(id);
    assert.equal(message?.pollUpdateMessage?.pollCreationMessageKey?.id, key.id);
    assert.deepEqual([...anna.shown(key.id!).votes], [[ANNA, ['Tue']]]);
    const asked = await anna.asks(SHOP, 'Where?', ['Here', 'There']);
    const poll = await shop.receives(asked);
    assert.equal(poll.message?.pollCreationMessageV3?.name, 'Where?');
  });

  it('show on the phone when the computer is typing and has read messages', async (t) => {
    const { peer, shop, anna, said } = await aChat(t);
    await shop.sock.sendPresenceUpdate('composing', annaJid);
    await shop.sock.sendPresenceUpdate('recording', annaJid);
    await shop.sock.readMessages([{ remoteJid: annaJid, id: said, fromMe: false }]);
    await peer.journal.untilStanza({ way: 'up', tag: 'receipt', attrs: { type: 'read' } });
    assert.deepEqual(
      anna.sees().map(({ what }) => what),
      ['composing', 'recording'],
    );
    assert.ok(anna.told(said).includes('read'));
  });

  it('show on the computer when the phone is typing or calling', async (t) => {
    const { peer, shop, anna } = await aChat(t);
    anna.appears(SHOP, 'composing');
    assert.equal(await shop.hears('presence.update', ({ presences }) => presences[annaJid]?.lastKnownPresence), 'composing');
    const id = anna.calls(SHOP, { video: true });
    const call = await shop.hears('call', ([first]) => first?.status === 'offer' && first);
    assert.deepEqual([call.id, call.from, call.isVideo], [id, annaJid, true]);
    anna.hangsUp(SHOP, id);
    assert.ok(await shop.hears('call', ([first]) => first?.status === 'timeout'));
    await shop.sock.rejectCall(id, annaJid);
    await peer.journal.untilStanza({ way: 'up', tag: 'call' });
  });

  it('can look up names, about texts and pictures, and check who is on the network', async (t) => {
    const { peer, shop, anna } = await aChat(t);
    anna.says('At the beach');
    peer.contact('6281100000009').isOnNetwork(false);
    const looked = await shop.sock.onWhatsApp(ANNA, '6281100000009');
    assert.deepEqual(looked, [{ jid: annaJid, exists: true }]);
    const [about] = (await shop.sock.fetchStatus(annaJid)) ?? [];
    assert.deepEqual((about as { status?: { status: string } })?.status?.status, 'At the beach');
    await assert.rejects(shop.sock.profilePictureUrl(annaJid));
    peer.contact(ANNA).account.picture = Buffer.from('a picture');
    assert.match((await shop.sock.profilePictureUrl(annaJid)) ?? '', /^https:\/\/127\.0\.0\.1:/);
    assert.equal(shopJid, peer.phone(SHOP).jid);
  });
});
