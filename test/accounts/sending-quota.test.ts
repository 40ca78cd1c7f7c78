import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDevice } from '../../actors/device/new-device.ts';
import { type Plan, plansFrom } from '../../actors/plans.ts';
import { createSending, type SendOrder } from '../../actors/sending.ts';
import { messagesIn } from '../../store/messages.ts';
import { usageIn } from '../../store/usage.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

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
async function anOffice(scope: Scope, kind: StoreKind, used: number, isBroken = () => false) {
  const store = await kind.fresh(scope);
  const messages = messagesIn(store);
  const usage = usageIn(store);
  await store.prepare();
  const device = newDevice('t1', null, null, january);
  if (used > 0) await usage.takeMessages('t1', '2026-01', used, plan.messages);
  const sending = createSending({
    messages,
    quota: {
      take: (...args) => (isBroken() ? Promise.reject(new Error('no quota')) : usage.takeMessages(...args)),
      used: usage.messages,
      giveBack: usage.giveBackMessages,
    },
    queueLimit: 10_000,
    hint() {},
  });
  return {
    send: (count: number, under: Plan = plan, now = january) =>
      Promise.all(Array.from({ length: count }, () => sending.accept(device, under, hello, now))),
    used: () => usage.messages('t1', '2026-01'),
    waiting: () => messages.waiting('t1', device._id, 10_000),
  };
}

const queued = (answers: readonly { status: string }[]) => answers.filter(({ status }) => status === 'queued').length;

eachStore('a message and its quota', (kind) => {
  it('go together while much is left', async (t) => {
    const { send, used, waiting } = await anOffice(t, kind, 0);
    assert.equal(queued(await send(60)), 60);
    assert.equal(await used(), 60);
    assert.equal((await waiting()).length, 60);
  });

  it('are exact near the end: not one message more leaves', async (t) => {
    const { send, used, waiting } = await anOffice(t, kind, 960);
    assert.equal(queued(await send(60)), 40);
    assert.equal(await used(), 1_000);
    assert.equal((await waiting()).length, 40);
  });

  it('are looked at anew after five seconds, and at once after a change of plan', async (t) => {
    const { send, used } = await anOffice(t, kind, 850);
    await send(50);
    assert.equal(queued(await send(150, plan, january + 5_000)), 100);
    assert.equal(await used(), 1_000);
    assert.equal(queued(await send(5, { ...plan, messages: 1_002 }, january + 5_001)), 2);
  });

  it('are both there in a plan whose quota has no end', async (t) => {
    const { send, used } = await anOffice(t, kind, 1_000);
    assert.equal(queued(await send(3, { ...plan, overage: { IDR: 50, USD: 1 } })), 3);
    assert.equal(await used(), 1_003);
  });

  it('part when only the counting fails: a message that is stored was accepted', async (t) => {
    const { send, waiting } = await anOffice(t, kind, 0, () => true);
    assert.equal(queued(await send(1)), 1);
    assert.equal((await waiting()).length, 1);
  });
});
