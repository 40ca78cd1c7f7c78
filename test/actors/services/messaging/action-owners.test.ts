import assert from 'node:assert/strict';
import { it } from 'node:test';
import { messageActionsIn } from '../../../../store/messaging/message-actions.ts';
import { actOf } from '../../../support/rows.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const MAX = 10;

eachStore('a pending edit or reaction of a device that has changed owner', (kind) => {
  it('can be completed and retried only by the new owner', async (t) => {
    const { acts, before, after, idsOf } = await twoOwners(t, kind);
    await acts.intend(before, actOf('A'));
    assert.deepEqual(idsOf(await acts.retake(after, MAX)), ['A']);
    await acts.over(before, 'A');
    assert.deepEqual(idsOf(await acts.retake(before, MAX)), []);
    assert.deepEqual(idsOf(await acts.retake(after, MAX)), ['A']);
    await acts.over(after, 'A');
    assert.deepEqual(await acts.retake(after, MAX), []);
  });

  it('is retried by the new owner if the former owner stored it late', async (t) => {
    const { acts, before, after, idsOf } = await twoOwners(t, kind);
    await acts.intend(after, actOf('A'));
    assert.deepEqual(idsOf(await acts.retake(after, MAX)), ['A']);
    await acts.intend(before, actOf('A'));
    await acts.intend(before, actOf('B'));
    assert.deepEqual(idsOf(await acts.retake(after, MAX)), ['A', 'B']);
    await acts.over(before, 'A');
    await acts.over(before, 'B');
    assert.deepEqual(idsOf(await acts.retake(after, MAX)), ['A', 'B']);
  });
});

async function twoOwners(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const acts = messageActionsIn(store);
  await store.prepare();
  const owner = { tenantId: 't', sessionId: 's' };
  return {
    acts,
    before: { ...owner, epoch: 1 },
    after: { ...owner, epoch: 2 },
    idsOf: (found: readonly { readonly _id: string }[]): string[] => found.map(({ _id }) => _id),
  };
}
