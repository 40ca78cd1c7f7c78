import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Bare, newAuth, trust } from './bare.ts';
import { spawnPeer } from './process/remote.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

it('the simulated network links devices and delivers messages from a separate process', async (t) => {
  const peer = await spawnPeer(['--seed', '5']);
  t.after(() => peer.stop());
  trust(peer.rootKey);
  const first = new Bare(peer, newAuth());
  const qr = await first.hears('connection.update', (update) => update.qr);
  await assert.rejects(peer.scan(SHOP, 'made up'), { code: 'NOT_FOUND' });
  assert.equal(await peer.scan(SHOP, qr), `${SHOP}:1@s.whatsapp.net`);
  assert.equal(await first.closes(), 515);
  const shop = new Bare(peer, first.auth);
  await shop.opens();
  await shop.hears('creds.update', ({ accountSyncCounter }) => accountSyncCounter);
  const { key } = (await shop.sock.sendMessage(`${ANNA}@s.whatsapp.net`, { text: 'hello' }))!;
  await shop.reaches(key.id!, 4);
  const [shown] = await peer.shows(ANNA);
  assert.deepEqual([shown?.id, shown?.from, shown?.text], [key.id, SHOP, 'hello']);
  const { violations, sent, seals, repeated } = await peer.ledger();
  assert.deepEqual([violations, sent, repeated], [[], 1, {}]);
  assert.ok(seals >= 2);

  await peer.cut(SHOP);
  assert.equal(await shop.closes(), 428);
  const id = await peer.write(ANNA, SHOP, 'are you there?');
  assert.deepEqual(await peer.waiting(SHOP), [id]);
  const fault = await peer.fault({ kind: 'refuse-logins', code: 503 });
  assert.equal(await new Bare(peer, first.auth).closes(), 503);
  await peer.lift(fault);
  const again = new Bare(peer, first.auth);
  await again.receives(id);
  void again.sock.end(undefined);
  assert.deepEqual(await peer.events('trouble'), []);
});
