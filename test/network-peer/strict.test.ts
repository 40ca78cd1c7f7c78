import assert from 'node:assert/strict';
import { request } from 'node:https';
import { describe, it, type TestContext } from 'node:test';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { aBareDevice, aPeer, type Bare } from './bare.ts';
import type { Peer } from './peer.ts';
import { SeededRandom } from './random.ts';
import { listHash } from './server/notices.ts';
import { Settings } from './server/settings.ts';
import { child, children, el, jidOf, SERVER, type Stanza } from './stanza.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const NETWORK = 's.whatsapp.net';

const ask = ({ sock }: Bare, xmlns: string, type: string, content: readonly Stanza[]): Promise<BinaryNode> =>
  sock.query({ tag: 'iq', attrs: { to: NETWORK, xmlns, type }, content: [...content] });

async function aShop(t: TestContext, givesOwnKeys = false): Promise<{ peer: Peer; shop: Bare }> {
  const peer = await aPeer(t, { givesOwnKeys });
  return { peer, shop: await aBareDevice(t, peer, SHOP) };
}

/** Waits for the first matching stanza from the network to a computer, and returns it. */
async function told(peer: Peer, digits: string, tag: string, isIt: (stanza: Stanza) => boolean): Promise<Stanza> {
  const [linked] = peer.phone(digits).linked;
  const find = () => peer.journal.stanzas({ way: 'down', tag, line: linked!.line }).find(({ stanza }) => isIt(stanza))?.stanza;
  for (;;) {
    const found = find();
    if (found) return found;
    await new Promise(setImmediate);
  }
}

describe('the simulated network with other client libraries', () => {
  it('accepts a number written as an address, and returns its account', async (t) => {
    const { shop } = await aShop(t);
    const query = [el('query', {}, [el('contact', {})]), el('list', {}, [el('user', {}, [el('contact', {}, `+${ANNA}@c.us`)])])];
    const answer = await ask(shop, 'usync', 'get', [
      el('usync', { sid: '1', mode: 'query', last: 'true', index: '0', context: 'interactive' }, query),
    ]);
    const [user] = children(child(child(answer, 'usync'), 'list'), 'user');
    assert.deepEqual([user?.attrs['jid'], child(user, 'contact')?.attrs['type']], [jidOf(ANNA, SERVER), 'in']);
  });

  it('responds to a ping without content', async (t) => {
    const { shop } = await aShop(t);
    assert.equal((await ask(shop, 'w:p', 'get', [])).attrs['type'], 'result');
  });

  it('accepts one-time keys whose elements are in any order', async (t) => {
    const { peer, shop } = await aShop(t);
    const [linked] = peer.phone(SHOP).linked;
    const { signedPreKey, identity } = linked!;
    const value = (id: number, key: Buffer) => [el('id', {}, Buffer.from([0, 0, id])), el('value', {}, key)];
    const skey = el('skey', {}, [...value(signedPreKey.id, signedPreKey.public), el('signature', {}, signedPreKey.signature)]);
    const keys = el('list', {}, [el('key', {}, value(99, Buffer.alloc(32, 9)))]);
    const registration = el('registration', {}, Buffer.from([0, 0, 0, 7]));
    await ask(shop, 'encrypt', 'set', [el('identity', {}, identity), registration, el('type', {}, Buffer.from([5])), keys, skey]);
    assert.equal(linked!.preKeys.at(-1)?.id, 99);
  });

  it('rejects a key query that includes the requesting device', async (t) => {
    const { peer, shop } = await aShop(t);
    const [linked] = peer.phone(SHOP).linked;
    const users = [jidOf(ANNA, SERVER), linked!.lid].map((jid) => el('user', { jid }));
    await assert.rejects(ask(shop, 'encrypt', 'get', [el('key', {}, users)]), /not-acceptable/);
  });

  it("returns a group's device list to a client whose list is outdated", async (t) => {
    const { peer, shop } = await aShop(t);
    const group = peer.group([SHOP, ANNA], { addressing: 'pn' });
    const jids = [jidOf(SHOP, SERVER), jidOf(SHOP, SERVER, 1), jidOf(ANNA, SERVER)];
    for (const [id, phash] of [
      ['right', listHash(jids)],
      ['wrong', '2:AAAAAAAA'],
    ] as const)
      await shop.sock.relayMessage(group.jid, { conversation: id }, { messageId: id, additionalAttributes: { phash } });
    const hashOf = async (id: string) => (await told(peer, SHOP, 'ack', ({ attrs }) => attrs['id'] === id)).attrs['phash'];
    assert.deepEqual([await hashOf('right'), await hashOf('wrong')], [undefined, listHash(jids)]);
  });
});

describe('the simulated network between two computers', () => {
  it("announces a new computer under both addresses, and sends the full device list to the account's other computers", async (t) => {
    const { peer, shop } = await aShop(t);
    await aBareDevice(t, peer, ANNA);
    const isOfDevices = ({ attrs }: Stanza): boolean => attrs['type'] === 'devices';
    const notice = await told(peer, SHOP, 'notification', isOfDevices);
    const [change] = children(notice);
    const [device] = children(change);
    const { lid } = peer.contact(ANNA).account;
    assert.deepEqual(
      [notice.attrs['lid'], change?.tag, device?.attrs['jid'], device?.attrs['lid']],
      [jidOf(lid, 'lid'), 'add', jidOf(ANNA, SERVER, 1), jidOf(lid, 'lid', 1)],
    );
    assert.equal(change?.attrs['device_hash'], listHash([jidOf(ANNA, SERVER), jidOf(ANNA, SERVER, 1)]));
    peer.phone(ANNA).unlinks();
    await told(peer, SHOP, 'notification', (stanza) => isOfDevices(stanza) && child(stanza, 'remove') !== undefined);
    peer.phone(SHOP).addsDevice();
    const own = await told(peer, SHOP, 'notification', ({ attrs }) => attrs['type'] === 'account_sync');
    assert.equal(children(child(own, 'devices'), 'device').length, 3);
    assert.ok(shop);
  });

  for (const addressing of ['pn', 'lid'] as const) {
    it(`includes the sender and time in receipts for a group addressed by ${addressing === 'pn' ? 'number' : 'hidden address'}`, async (t) => {
      const { peer, shop } = await aShop(t, true);
      const anna = await aBareDevice(t, peer, ANNA);
      const { jid } = peer.group([SHOP, ANNA], { addressing });
      const { key } = (await shop.sock.sendMessage(jid, { text: 'Hi' }))!;
      await anna.receives(key.id!);
      const [computer] = peer.phone(ANNA).linked;
      const own = addressing === 'lid' ? computer!.lid : computer!.jid;
      const receipt = await told(peer, SHOP, 'receipt', ({ attrs }) => attrs['id'] === key.id && attrs['participant'] === own);
      assert.deepEqual([receipt.attrs['from'], Number(receipt.attrs['t']) > 0], [jid, true]);
    });
  }

  it('uses hidden addresses for a direct message and its receipt', async (t) => {
    const { peer, shop } = await aShop(t);
    const anna = await aBareDevice(t, peer, ANNA);
    const { key } = (await shop.sock.sendMessage(peer.contact(ANNA).lid, { text: 'Hi' }))!;
    await anna.receives(key.id!);
    const message = await told(peer, ANNA, 'message', ({ attrs }) => attrs['id'] === key.id);
    assert.deepEqual([message.attrs['from'], message.attrs['sender_pn']], [peer.phone(SHOP).linked[0]!.lid, jidOf(SHOP, SERVER)]);
    const receipt = await told(peer, SHOP, 'receipt', ({ attrs }) => attrs['id'] === key.id && attrs['from']!.includes(':'));
    assert.equal(receipt.attrs['from'], peer.phone(ANNA).linked[0]!.lid);
  });
});

describe('account settings on the simulated network', () => {
  const name = { pushNameSetting: { name: 'Anna' } };

  it('are signed in the way that devices expect', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP, { appStateMacVerification: { patch: true, snapshot: true } });
    peer.phone(SHOP).isCalled('Toko');
    assert.equal(await shop.hears('creds.update', ({ me }) => me?.name), 'Toko');
  });

  it('are rejected if the sender does not have the key', () => {
    const [ours, same, other] = [new Settings(new SeededRandom(1)), new Settings(new SeededRandom(1)), new Settings(new SeededRandom(2))];
    same.set('critical_block', ['setting_pushName'], name, 1);
    other.set('critical_block', ['setting_pushName'], name, 1);
    assert.equal(ours.push('critical_block', 0, other.since('critical_block', 0)[0]!), 'forged');
    assert.equal(ours.version('critical_block'), 0);
    assert.equal(ours.push('critical_block', 0, same.since('critical_block', 0)[0]!), 'taken');
  });
});

describe('the file host', () => {
  it('accepts paths with parameters, and deletes files on request', async (t) => {
    const peer = await aPeer(t);
    const { directPath } = peer.media.put(Buffer.from('sealed'));
    const call = (method: string): Promise<readonly [number | undefined, string]> =>
      new Promise((done, failed) => {
        const url = `https://${peer.media.name}${directPath}&hash=abc&mms-type=image`;
        const sent = request(url, { method, ca: peer.media.certificate }, (answer) => {
          let body = '';
          answer.on('data', (part) => {
            body += part;
          });
          answer.on('end', () => done([answer.statusCode, body]));
        });
        sent.on('error', failed);
        sent.end();
      });
    assert.deepEqual(await call('GET'), [200, 'sealed']);
    assert.deepEqual(await call('DELETE'), [200, '']);
    assert.deepEqual(await call('GET'), [410, '']);
  });
});
