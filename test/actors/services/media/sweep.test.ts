import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMediaLibrary } from '../../../../actors/services/media/library.ts';
import { createMediaQuota } from '../../../../actors/services/media/media-quota.ts';
import { sweepMedia } from '../../../../actors/services/media/sweep.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { derivedId } from '../../../../runtime/derived-ids.ts';
import { newId } from '../../../../runtime/ids.ts';
import { checkpointsIn } from '../../../../store/jobs/checkpoints.ts';
import { mediaOnDisk } from '../../../../store/media/disk.ts';
import { mediaIn } from '../../../../store/media/media.ts';
import { mediaUsageIn } from '../../../../store/media/media-usage.ts';
import { type Place, places } from '../../../store/media/places.ts';
import { aDirectory, eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const DAY = 86_400_000;
const ACME = newId(1);
/** Ids of one process never go back: each story begins later than the one before. */
let begun = 0;

async function* some() {
  yield Buffer.from('bytes');
}

async function aPlace(scope: Scope, kind: StoreKind, place: Place) {
  begun += 10 * DAY;
  const start = begun;
  let lost = 0;
  const store = await kind.fresh(scope);
  const [rows, checkpoints, bytes] = [mediaIn(store), checkpointsIn(store), await place.fresh(scope)];
  const quota = createMediaQuota({ usage: mediaUsageIn(store), limitOf: async () => 1e9, now: () => now });
  await store.prepare();
  let now = 0;
  const links = { remove: async () => {} };
  const library = createMediaLibrary({ rows, bytes, direct: null, links, quota, dropDerived: async () => {}, now: () => now });
  const sweep = (at: number) => sweepMedia({ owners: [rows], bytes, checkpoints, clock: systemClock }, start + at);
  const keep = async (at: number) => {
    now = start + at;
    return library.keep({ tenantId: ACME, source: some(), filename: null, owner: { devices: ['*'], chat_id: null, agent_id: null } }, now);
  };
  const lose = (at: number) => {
    lost += 1;
    return bytes.write(ACME, derivedId(`${lost}`, start + at), some());
  };
  const count = async () => (await bytes.list(null, 5_000)).length;
  const take = (at: number, until: number) => checkpoints.take('media', start + until, start + at);
  return { library, sweep, keep, lose, count, take };
}

for (const place of places)
  eachStore(`stored bytes without a record on ${place.name}`, (kind) => {
    it('are deleted after a day, unless they belong to a file', async (t) => {
      const { sweep, keep, lose, count, library } = await aPlace(t, kind, place);
      const file = await keep(1_000);
      for (let n = 0; n < 3; n += 1) await lose(1_000);
      assert.equal(await sweep(DAY), 0, 'they are too young');
      await lose(DAY * 2);
      assert.equal(await sweep(DAY * 2 + 1_000), 3);
      assert.equal(await count(), 2);
      await library.open(file).then((stream) => stream.destroy());
    });

    it('are deleted in batches by one node at a time, and another node continues after a crash', async (t) => {
      const { sweep, keep, lose, count, take } = await aPlace(t, kind, place);
      for (let n = 0; n < 520; n += 1) await (n % 10 === 0 ? keep(1_000) : lose(1_000));
      const at = DAY * 3;
      const [idle, first] = (await Promise.all([sweep(at), sweep(at)])).toSorted((a, b) => a - b);
      assert.equal(idle, 0);
      await take(at, at + 60_000);
      assert.equal(await sweep(at + 30_000), 0, 'the one who took the part may still be at it');
      assert.equal(first! + (await sweep(at + 60_000)), 468);
      assert.deepEqual([await count(), await sweep(at + 60_001)], [52, 0]);
      await lose(1_000);
      assert.equal(await sweep(at + DAY + 60_000), 1);
    });
  });

eachStore('a half-written file from a crashed node', (kind) => {
  it('is deleted by another node after a day', async (t) => {
    const directory = aDirectory(t);
    const gone = await mediaOnDisk({ directory, node: 'gw-1.example' });
    const { promise: endless, reject } = Promise.withResolvers<never>();
    begun += 10 * DAY;
    const [written, half] = [Promise.withResolvers<void>(), derivedId('half', begun)];
    async function* source() {
      yield Buffer.from('half');
      written.resolve();
      await endless;
    }
    const writing = assert.rejects(gone.write(ACME, half, source()), /killed/);
    await written.promise;
    const unfinished = () => readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith(half)).length;
    while (unfinished() === 0) await setImmediate();

    const [store, bytes] = [await kind.fresh(t), await mediaOnDisk({ directory, node: 'gw-2.example' })];
    const deps = { owners: [mediaIn(store)], bytes, checkpoints: checkpointsIn(store), clock: systemClock };
    await store.prepare();
    assert.deepEqual([await sweepMedia(deps, begun + DAY - 1), unfinished()], [0, 1]);
    assert.deepEqual([await sweepMedia(deps, begun + 2 * DAY), unfinished()], [1, 0]);
    reject(new Error('killed'));
    await writing;
  });
});
