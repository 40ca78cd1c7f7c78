import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Debts } from '../../actors/follow-ups.ts';
import type { MessageRow, Messages, Owner } from '../../store/messages.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 1 };

/** Rows that owe something, and what was done about them. */
function aLedger(step: (rows: readonly MessageRow[]) => Promise<void>) {
  const clock = new VirtualClock();
  const owing = new Set<string>();
  const failures: unknown[] = [];
  const messages = {
    owing: async () => [...owing].map((_id) => ({ _id, rev: 1 })),
    settled: async (rows: readonly MessageRow[]) => rows.forEach(({ _id }) => void owing.delete(_id)),
  } as unknown as Messages;
  const debts = new Debts({ messages, clock, followUps: [{ name: 'step', run: step }] }, OWNER, (cause) => failures.push(cause));
  return { clock, owing, failures, debts };
}

it('a debt that comes up in the moment in which the last one is settled is settled too', async () => {
  const done: string[] = [];
  const { clock, owing, debts } = aLedger(async (rows) => void done.push(...rows.map(({ _id }) => _id)));
  for (let i = 0; i < 50; i += 1) {
    owing.add(`m${i}`);
    debts.settle();
    // A different number of turns each time, to meet every moment of a settlement.
    for (let turn = 0; turn < i % 12; turn += 1) await Promise.resolve();
  }
  await clock.advance(0);
  assert.equal(owing.size, 0);
  assert.ok(done.includes('m49'));
});

it('a step that fails is told of and tried again, and the debt stays until it is done', async () => {
  let broken = true;
  const { clock, owing, failures, debts } = aLedger(async () => {
    if (broken) throw new Error('not now');
  });
  owing.add('m1');
  debts.settle();
  await clock.advance(1_000);
  assert.deepEqual([owing.size, failures.length], [1, 1]);
  broken = false;
  await clock.advance(5_000);
  assert.deepEqual([owing.size, failures.length], [0, 1]);
});

it('an owner who left settles nothing more', async () => {
  const { clock, owing, debts } = aLedger(async () => {
    throw new Error('not now');
  });
  owing.add('m1');
  debts.settle();
  await clock.advance(0);
  debts.end();
  await clock.advance(60_000);
  assert.equal(clock.pending, 0);
});
