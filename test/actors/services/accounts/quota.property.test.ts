import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Plan, plansFrom } from '../../../../actors/domain/plans.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { cancelOne, cancelWaiting } from '../../../../actors/services/messaging/cancel.ts';
import { QuotaCache } from '../../../../actors/services/messaging/quota-cache.ts';
import { retry } from '../../../../actors/services/messaging/retry.ts';
import { createSending, type SendOrder } from '../../../../actors/services/messaging/sending.ts';
import { endAbandonedRefunds, giveQuotaBack } from '../../../../actors/services/messaging/unsent-quota.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { type MessageRow, messagesIn, type Owner } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { busyStore } from '../../../support/busy-store.ts';
import { carryOut } from '../../../support/carry-out.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 15);
/** Also after what other tests of this process may have called now: ids never go back. */
const LONG_AFTER = Date.UTC(2126, 0);
const MONTH = '2026-01';
const LIMIT = 400;
const plan: Plan = { ...plansFrom({}).get('free')!, messages: LIMIT };
const device = newDevice('t1', null, null, NOW);
const OWNER: Owner = { tenantId: 't1', sessionId: device._id, epoch: 1 };
const SEEDS = (process.env['MODEL_SEEDS'] ?? '1,2,3').split(',').map(Number);
const STEPS = 60;

const order = (expiresAt: number | undefined): SendOrder => ({
  chat: '6281211110001@s.whatsapp.net',
  message_type: 'text',
  body: 'Hello',
  parts: {},
  quotes: null,
  lane: 0,
  priority: 0,
  ...(expiresAt !== undefined && { expiresAt }),
});

/** One process over the store. Alone with it, it takes quota ahead. */
function aNode(store: Store, isAlone: boolean) {
  const messages = messagesIn(store);
  const usage = usageIn(store);
  const counted = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  const quota = isAlone ? new QuotaCache(counted) : counted;
  const sending = createSending({ messages, quota, queueLimit: 100_000, hint() {} });
  return { messages, usage, quota, sending, outboxHandler: giveQuotaBack({ messages, usage }, () => NOW) };
}

type Node = ReturnType<typeof aNode>;

/** What a tenant and its device do. */
const ACTIONS: Readonly<Record<string, (node: Node, dice: (upTo: number) => number, owner: Owner) => Promise<unknown>>> = {
  send: ({ sending }, dice) =>
    Promise.all(Array.from({ length: dice(120) }, () => sending.accept(device, plan, order(dice(3) === 0 ? NOW + 1 : undefined), NOW))),
  async cancelSome(node, dice) {
    const waiting = await Array.fromAsync(node.messages.waiting('t1', device._id, null, 500));
    const chosen = waiting.filter(() => dice(4) === 0);
    // Each twice: one of the two is refused.
    await Promise.allSettled([...chosen, ...chosen].map(({ _id }) => cancelOne(node, device, _id, NOW)));
  },
  clear: (node) => Promise.all([cancelWaiting(node, device, NOW), cancelWaiting(node, device, NOW)]),
  async leave({ messages }, dice, owner) {
    const taken = await messages.claim(owner, await Array.fromAsync(messages.waiting('t1', device._id, null, dice(20))), NOW);
    await messages.mark(owner, [{ status: 'sent', ids: taken.map(({ _id }) => _id), at: NOW }]);
  },
  async expire({ messages }, dice) {
    await messages.expire(NOW + 10, dice(30));
  },
  async retry(node, dice) {
    const failed = await Array.fromAsync(
      node.messages.list('t1', device._id, { status: 'failed' }, { limit: 50, before: null, beforeId: null }),
    );
    const chosen = failed.filter(() => dice(3) === 0);
    await Promise.allSettled([...chosen, ...chosen].map(({ _id }) => retry(node, device, plan, _id, NOW - 100)));
  },
  async follow({ messages, outboxHandler }, _dice, owner) {
    const rows = await Array.fromAsync(messages.withOutbox(owner, 1_000));
    await carryOut(outboxHandler, rows);
    await messages.outboxProcessed(rows);
  },
};
const TAKES = new Set(['send', 'retry']);

const counts = ({ direction, status, error }: MessageRow): boolean =>
  direction === 'outbound' && ['queued', 'sending', 'sent', 'delivered', 'read'].includes(status) && error === null;

/** What a process that is dead had already asked of the store is done. */
async function allIsQuiet(isBusy: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet = isBusy() ? 0 : quiet + 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What the log says is sent or waits, and what the quota says is used. */
async function truth(store: Store) {
  const rows = await Array.fromAsync(messagesIn(store).list('t1', device._id, {}, { limit: 100_000, before: null, beforeId: null }));
  return { log: rows.filter(counts).length, used: await usageIn(store).messages('t1', MONTH) };
}

/** One or two processes act at the same time and may die; then a live one does the follow-up work. Returns the actions. */
async function step({ store, isBusy, nodes, dice }: World): Promise<{ readonly names: readonly string[]; readonly isKill: boolean }> {
  const actions = Object.keys(ACTIONS);
  const names = nodes.map(() => actions[dice(actions.length)]!);
  const isKill = dice(5) === 0;
  const isAlone = nodes.length === 1 && store.name === 'embedded';
  const mortal = mortalStore(store, { write: 1 + dice(6), isMade: dice(2) === 0 });
  const actors = isKill ? nodes.map(() => aNode(mortal.store, isAlone)) : nodes;
  await Promise.allSettled(actors.map((node, nth) => ACTIONS[names[nth]!]!(node, dice, OWNER)));
  await allIsQuiet(isBusy);
  if (isKill) nodes.splice(0, nodes.length, ...nodes.map(() => aNode(store, isAlone)));
  await ACTIONS['follow']!(nodes[0]!, dice, OWNER);
  await endAbandonedRefunds(nodes[0]!, LONG_AFTER);
  return { names, isKill };
}

interface World {
  readonly store: Store;
  readonly nodes: Node[];
  isBusy(): boolean;
  dice(upTo: number): number;
}

async function play(world: World): Promise<void> {
  let lost = 0;
  for (let nth = 0; nth < STEPS; nth += 1) {
    const { names, isKill } = await step(world);
    const { log, used } = await truth(world.store);
    const where = `step ${nth}: ${names.join(' and ')}${isKill ? ', killed' : ''}`;
    assert.ok(used >= 0 && used <= LIMIT, `${used} used of ${LIMIT}; ${where}`);
    // Quota is taken first: only a process that dies in between counts what it never stored.
    if (isKill && names.some((name) => TAKES.has(name))) {
      assert.ok(used - log >= lost, `too few: ${used} used, ${log} in the log; ${where}`);
      lost = used - log;
    }
    assert.equal(used, log + lost, where);
  }
}

eachStore('the used quota under random operations', (kind) => {
  for (const nodes of [1, 2])
    for (const seed of SEEDS)
      it(`equals the number of sent and waiting messages, and never exceeds the limit (${nodes} nodes, seed ${seed})`, async (t) => {
        const random = seededRandom(seed);
        const { store, isBusy } = busyStore(await kind.fresh(t));
        const living = Array.from({ length: nodes }, () => aNode(store, nodes === 1 && kind.name === 'embedded'));
        await store.prepare();
        await play({ store, isBusy, nodes: living, dice: (upTo) => Math.floor(random() * upTo) });
      });
});
