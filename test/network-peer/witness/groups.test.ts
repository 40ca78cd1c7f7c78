import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Ours } from '../../actors/network/whatsapp/in-real-time.ts';
import type { Whatsmeow } from './whatsmeow.ts';
import { withWhatsmeow } from './world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

withWhatsmeow('whatsmeow and the gateway in groups', (world) => {
  let ours: Ours;
  let anna: Whatsmeow;

  before(async () => {
    ours = await world().ours(SHOP);
    anna = await world().computerOf(ANNA);
  });

  for (const addressing of ['pn', 'lid'] as const) {
    it(`read each other's messages addressed by ${addressing === 'pn' ? 'number' : 'hidden address'}, send receipts, and retry`, async () => {
      const { peer } = world();
      const { jid } = peer.group([SHOP, ANNA, BUDI], { addressing });
      for (const nth of [1, 2]) {
        const [out] = [`${addressing}-${nth}`];
        ours.says(out, jid);
        assert.equal((await anna.gets(out)).message.conversation, out);
        const id = await anna.sends(jid, { conversation: `theirs ${out}` });
        assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: `theirs ${out}` });
        await anna.hears('message:receipt', ({ ids, chat }) => ids.includes(id) && chat === jid);
      }
      await ours.hears('receipt', ({ netIds, status }) => netIds.includes(`${addressing}-1`) && status === 'read');
      const spoil = peer.fault({ kind: 'spoil', phone: ANNA, times: 1 });
      ours.says(`${addressing}-spoilt`, jid);
      assert.equal((await anna.gets(`${addressing}-spoilt`)).message.conversation, `${addressing}-spoilt`);
      spoil();
      const lift = peer.fault({ kind: 'spoil', phone: SHOP, times: 1 });
      const id = await anna.sends(jid, { conversation: 'once more' });
      assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: 'once more' });
      lift();
      // whatsmeow sends the device list that it assumes. The peer records a difference from the actual one.
      const [theirs] = peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } });
      assert.match(theirs?.stanza.attrs['phash'] ?? '', /^2:/);
      assert.deepEqual(peer.journal.events('incomplete'), []);
    });
  }

  it('deliver the next message to a computer that was linked later', async () => {
    const { peer } = world();
    const { jid } = peer.group([SHOP, ANNA], { addressing: 'lid' });
    ours.says('early', jid);
    await anna.gets('early');
    const second = await world().computerOf(ANNA);
    await ours.connection.lookUp([]);
    const asked = peer.journal.stanzas({ way: 'up', tag: 'receipt', attrs: { type: 'retry' } }).length;
    ours.says('late', jid);
    assert.equal((await second.gets('late')).message.conversation, 'late');
    assert.equal(peer.journal.stanzas({ way: 'up', tag: 'receipt', attrs: { type: 'retry' } }).length, asked);
    assert.deepEqual(peer.journal.events('violation'), []);
  });
});
