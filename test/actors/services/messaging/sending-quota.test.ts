import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Plan, plansFrom } from '../../../../actors/domain/plans.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { QuotaCache } from '../../../../actors/services/messaging/quota-cache.ts';
import { createSending, type SendOrder } from '../../../../actors/services/messaging/sending.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const january = Date.UTC(2026, 0, 15);
const plan: Plan = { ...plansFrom({}).get('free')!, messages: 1_000 };
const hello: SendOrder = {
  chat: '6281211110001@s.whatsapp.net',
  message_type: 'text',
  body: 'Hello',
  parts: {},
  quotes: null,
  lane: 0,
  priority: 0,
};

/** A device of a tenant who has used so much of the month's quota. */
async function aWebhookFixture(scope: Scope, kind: StoreKind, used: number, isBroken = () => false) {
  const store = await kind.fresh(scope);
  const messages = messagesIn(store);
  const usage = usageIn(store);
  await store.prepare();
  const device = newDevice('t1', null, null, january);
  if (used > 0) await usage.takeMessages('t1', '2026-01', used, plan.messages);
  const sending = createSending({
    messages,
    quota: new QuotaCache({
      take: (...args) => {
        if (!isBroken()) return usage.takeMessages(...args);
        args[4]?.();
        return Promise.reject(new Error('no quota'));
      },
      used: usage.messages,
      giveBack: usage.giveBackMessages,
    }),
    queueLimit: 10_000,
    hint() {},
  });
  return {
    usage,
    send: (count: number, under: Plan = plan, now = january) =>
      Promise.all(Array.from({ length: count }, () => sending.accept(device, under, hello, now))),
    used: () => usage.messages('t1', '2026-01'),
    waiting: () => Array.fromAsync(messages.waiting('t1', device._id, null, 10_000)),
  };
}

const queued = (answers: readonly { status: string }[]) => answers.filter(({ status }) => status === 'queued').length;

eachStore('messages sent in bulk', (kind) => {
  it('are stored together if plenty of quota is left', async (t) => {
    const { send, used, waiting } = await aWebhookFixture(t, kind, 0);
    assert.equal(queued(await send(60)), 60);
    assert.equal(await used(), 60);
    assert.equal((await waiting()).length, 60);
  });

  it('are limited to exactly the remaining quota', async (t) => {
    const { send, used, waiting } = await aWebhookFixture(t, kind, 960);
    assert.equal(queued(await send(60)), 40);
    assert.equal(await used(), 1_000);
    assert.equal((await waiting()).length, 40);
  });

  it('use a cached quota for at most five seconds, or until the plan changes', async (t) => {
    const { send, used } = await aWebhookFixture(t, kind, 850);
    await send(50);
    assert.equal(queued(await send(150, plan, january + 5_000)), 100);
    assert.equal(await used(), 1_000);
    assert.equal(queued(await send(5, { ...plan, messages: 1_002 }, january + 5_001)), 2);
  });

  it('are sent beyond the quota, and are counted, on a plan with overage', async (t) => {
    const { send, used } = await aWebhookFixture(t, kind, 1_000);
    assert.equal(queued(await send(3, { ...plan, overage: { IDR: 50, USD: 1 } })), 3);
    assert.equal(await used(), 1_003);
  });

  it('are rejected if the used quota cannot be read', async (t) => {
    const { send, used, waiting } = await aWebhookFixture(t, kind, 0, () => true);
    await assert.rejects(send(1), /no quota/);
    assert.deepEqual([await used(), (await waiting()).length], [0, 0]);
  });

  it('stay within the quota, even if the cached quota would allow each of several sends', async (t) => {
    const { send, used, waiting } = await aWebhookFixture(t, kind, 0);
    const answers = [...(await send(1)), ...(await send(800)), ...(await send(800)), ...(await send(900))];
    assert.equal(queued(answers), 1_000);
    assert.deepEqual([await used(), (await waiting()).length], [1_000, 1_000]);
  });

  it('stay within the quota, even if another caller has used it in the meantime', async (t) => {
    const { send, used, waiting, usage } = await aWebhookFixture(t, kind, 0);
    await send(1);
    await usage.takeMessages('t1', '2026-01', 950, 1_000);
    assert.equal(queued(await send(100)), 49);
    assert.deepEqual([await used(), (await waiting()).length], [1_000, 50]);
  });
});
