import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ErasedPeople, withoutErased } from '../../../../actors/services/official/erased-people.ts';
import { memberOf } from '../../../../runtime/shapes.ts';
import { erasuresIn } from '../../../../store/privacy/erasures.ts';
import { holdsIn } from '../../../../store/privacy/holds.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const AT = 1_796_000_000_000;
const HASHES = ['#62811', '#ID.2'];

async function anErasure(t: Scope, kind: StoreKind) {
  const store = await kind.fresh(t);
  const [erasures, holds] = [erasuresIn(store), holdsIn(store)];
  const row = { _id: 'e', tenant_id: 't', phone_hash: '#62811', hashes: HASHES, open: true, step: 0, claimed_until: 0, counts: {} };
  const erasure = { ...row, created_at: AT, done_at: null, proof: null };
  await erasures.prepare(erasure, 10);
  await erasures.begin(erasure);
  let now = AT;
  const erased = new ErasedPeople({ erasures, holds, clock: { now: () => now }, hashOf: (_tenant, subject) => `#${subject}` }, 't');
  /** Returns the ids that are left of a webhook which came at `at`. */
  const left = async (at: number, ...items: readonly object[]): Promise<readonly unknown[]> => {
    const changes = [{ field: 'messages', value: { messages: items } }];
    const [change] = await withoutErased(changes, await erased.since(at), async (userId) => `alias of ${userId}`);
    const messages = memberOf(change?.value, 'messages');
    return Array.isArray(messages) ? messages.map((message) => memberOf(message, 'id')) : [];
  };
  return { erasures, holds, erasure, left, passes: (ms: number) => (now += ms) };
}

const message = (id: string, from: object, saidAt: number) => ({ id, ...from, timestamp: String(saidAt / 1_000) });
const hers = (id: string, saidAt: number) => message(id, { from: '62811' }, saidAt);

eachStore('people who were erased while webhooks were pending', (kind) => {
  it('are recognized by their number and by every id they have had on the platform', async (t) => {
    const { left } = await anErasure(t, kind);
    const moved = message('moved', { system: { previous_user_id: 'ID.2', user_id: 'ID.3' } }, AT);
    const others = message('others', { from: '62822', from_user_id: 'ID.9' }, AT);
    assert.deepEqual(await left(AT - 1, hers('hers', AT), message('by id', { from_user_id: 'ID.2' }, AT), moved, others), ['others']);
  });

  it('are recognized even if the clocks of two nodes differ, but can write again after the erasure', async (t) => {
    const { left } = await anErasure(t, kind);
    assert.deepEqual(await left(AT + 30_000, hers('before', AT - 1_000), hers('after', AT + 1_000)), ['after']);
    assert.deepEqual(await left(AT + 61_000, hers('late', AT - 1_000)), ['late']);
  });

  it('keep their data while a hold protects it, unless the erasure has already begun', async (t) => {
    const { left, holds, erasures, erasure, passes } = await anErasure(t, kind);
    await holds.put('t', '#62811', { reason: 'a lawsuit', until: AT + 600_000 }, AT);
    assert.deepEqual(await left(AT - 1, hers('held', AT - 1)), ['held']);
    passes(550_000);
    assert.deepEqual(await left(AT - 1, hers('soon', AT - 1)), []);
    await holds.put('t', '*', { reason: 'a lawsuit', until: AT + 6_000_000 }, AT);
    assert.deepEqual(await left(AT - 1, hers('all are held', AT - 1)), ['all are held']);
    // A hold does not bring back what an erasure has begun to remove.
    await erasures.advance(erasure, {}, AT);
    assert.deepEqual(await left(AT - 1, hers('begun', AT - 1)), []);
  });
});
