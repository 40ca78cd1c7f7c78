import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { refusal } from '../../../../actors/domain/refusals.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { keyFrom, sendOnce } from '../../../../actors/services/messaging/idempotency.ts';
import { createSending } from '../../../../actors/services/messaging/sending.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { idempotencyIn } from '../../../../store/messaging/idempotency.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA, type Answer, aGateway, PHONE } from '../../../support/gateway.ts';
import { asWritten } from '../../../support/lost-answer.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const SECOND = 1_000;
const DAY = 86_400_000;
const NOW = 1_767_225_600_000;

eachStore('a send with an Idempotency-Key', (kind) => {
  it('returns its earlier result when repeated, even with the key in quotes and the fields in another order', async (t) => {
    const { send, gateway, log } = await aWebhookFixture(t, kind);
    const first = await send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'order-1');
    assert.deepEqual([first.status, first.body.status, first.body.idempotent_replay], [202, 'queued', undefined]);
    const again = await send({ body: 'Hi', type: 'text', chat_id: ANNA }, '"order-1"');
    assert.deepEqual(
      [again.status, again.body],
      [202, { id: first.body.id, status: 'queued', wa_message_id: null, idempotent_replay: true }],
    );
    await gateway.until('it is read', async () => (await log())[0].status === 'read');
    assert.deepEqual((await send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'order-1')).body, again.body);
    assert.equal((await log()).length, 1);
  });

  it('is rejected if the key was already used with another body', async (t) => {
    const { send, log } = await aWebhookFixture(t, kind);
    await send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'a');
    const reused = await send({ chat_id: ANNA, type: 'text', body: 'Hello' }, 'a');
    assert.deepEqual([reused.status, reused.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    await send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'b');
    assert.equal((await log()).length, 2);
  });

  it('creates only one message for twenty concurrent calls', async (t) => {
    const { send, log } = await aWebhookFixture(t, kind);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'burst')));
    const [message, ...more] = await log();
    assert.equal(more.length, 0);
    for (const { status, body } of answers) assert.ok(status === 202 ? body.id === message.id : body.code === 'IDEMPOTENCY_IN_PROGRESS');
    assert.equal(answers.filter(({ status, body }) => status === 202 && !body.idempotent_replay).length, 1);
  });

  it('leaves its key unused if it is rejected', async (t) => {
    const { send, tenant, path, gateway } = await aWebhookFixture(t, kind);
    await tenant.api('POST', `${path}/disconnect`);
    assert.equal((await send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'k')).body.code, 'CONFLICT');
    await tenant.api('POST', `${path}/connect`);
    await gateway.until('it is online', async () => (await tenant.api('GET', path)).body.status === 'connected');
    assert.equal((await send({ chat_id: ANNA, type: 'text', body: 'Hi' }, 'k')).body.idempotent_replay, undefined);
  });

  it('returns its earlier result a minute later, and is rejected if its key is invalid', async (t) => {
    const { send, gateway, log } = await aWebhookFixture(t, kind);
    const hi = { chat_id: ANNA, type: 'text', body: 'Hi', connect_only: false };
    await send(hi, 'k');
    await gateway.clock.advance(60 * SECOND);
    assert.equal((await send(hi, 'k')).body.idempotent_replay, true);
    assert.equal((await log()).length, 1);
    for (const bad of ['x'.repeat(256), '""']) assert.equal((await send(hi, bad)).status, 400);
  });
});

eachStore('an interrupted send with an Idempotency-Key', (kind) => {
  it('can be repeated after 10 seconds if nothing was stored, and then sends one message', async (t) => {
    const { once, dies, depth, used } = await aLiveFixture(t, kind);
    await assert.rejects(once(NOW, dies.before), /died/);
    await assert.rejects(once(NOW + 9 * SECOND), { code: 'IDEMPOTENCY_IN_PROGRESS' });
    const { id, idempotent_replay } = await once(NOW + 10 * SECOND);
    assert.equal(idempotent_replay, undefined);
    assert.deepEqual(await once(NOW + 11 * SECOND), { id, status: 'queued', wa_message_id: null, idempotent_replay: true });
    assert.deepEqual([await depth(), await used()], [1, 1]);
  });

  it('returns its result to the next call if the result was stored', async (t) => {
    const { once, dies, depth } = await aLiveFixture(t, kind);
    await assert.rejects(once(NOW, dies.after), /died/);
    assert.equal((await once(NOW + 1)).idempotent_replay, true);
    assert.equal(await depth(), 1);
  });

  it('stores one message, even if a second call overtakes a slow first one', async (t) => {
    const { once, depth, used, slow } = await aLiveFixture(t, kind);
    const first = once(NOW, slow.send);
    await slow.begun;
    const second = await once(NOW + 20 * SECOND);
    slow.go();
    assert.equal((await first).id, second.id);
    assert.deepEqual([await depth(), await used()], [1, 1]);
  });

  it("returns the slow first call's result, even if a second call was rejected in between", async (t) => {
    const { once, depth, used, slow } = await aLiveFixture(t, kind);
    const first = once(NOW, slow.send);
    await slow.begun;
    await assert.rejects(
      once(NOW + 20 * SECOND, () => Promise.reject(refusal('OVERLOADED'))),
      { code: 'OVERLOADED' },
    );
    slow.go();
    const { id } = await first;
    assert.deepEqual(await once(NOW + 21 * SECOND), { id, status: 'queued', wa_message_id: null, idempotent_replay: true });
    assert.deepEqual([await depth(), await used()], [1, 1]);
  });

  it('forgets its key after a day', async (t) => {
    const { once, depth } = await aLiveFixture(t, kind);
    const first = await once(NOW);
    const next = await once(NOW + DAY);
    assert.notEqual(next.id, first.id);
    assert.equal(await depth(), 2);
  });
});

it('a quoted Idempotency-Key is treated as the same key without quotes', () => {
  assert.equal(keyFrom('"a \\"b"'), 'a "b');
  assert.equal(keyFrom('"abc"'), keyFrom('abc'));
  assert.equal(keyFrom(undefined), undefined);
  for (const bad of ['a b', 'é', `"${'x'.repeat(256)}"`]) assert.throws(() => keyFrom(bad), { code: 'VALIDATION_FAILED' });
});

async function aWebhookFixture(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind });
  const tenant = await gateway.signUp();
  const { path } = await tenant.linked(PHONE);
  return {
    gateway,
    tenant,
    path,
    send: (body: object, key: string): Promise<Answer> => tenant.api('POST', `${path}/messages`, body, { 'idempotency-key': key }),
    log: async () => (await tenant.api('GET', `${path}/messages?direction=outbound`)).body.messages,
  };
}

/** Sends with one key, straight into the store. */
async function aLiveFixture(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const [idempotency, messages, usage] = [idempotencyIn(store, asWritten), messagesIn(store), usageIn(store)];
  await store.prepare();
  const device = newDevice('t1', null, null, NOW);
  const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  const sending = createSending({ messages, quota, queueLimit: 10, hint() {} });
  const hello = {
    chat: `${ANNA}@s.whatsapp.net`,
    message_type: 'text',
    body: 'Hi',
    parts: {},
    quotes: null,
    lane: 0,
    priority: 0,
  } as const;
  const accept = (id: string, now: number) => sending.accept(device, plansFrom({}).get('free')!, { ...hello, id }, now);
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  type Send = typeof accept;
  return {
    once: (now: number, send: Send = accept) =>
      sendOnce({ idempotency, messages }, { key: 'k', device, request: { body: 'Hi' } }, now, (id) => send(id, now)),
    dies: {
      before: () => Promise.reject(new Error('died')),
      after: async (id: string, now: number) => {
        await accept(id, now);
        throw new Error('died');
      },
    },
    slow: {
      begun: begun.promise,
      go: () => gate.resolve(),
      async send(id: string, now: number) {
        begun.resolve();
        await gate.promise;
        return accept(id, now);
      },
    },
    depth: async () => (await messages.backlog('t1', device._id)).depth,
    used: () => usage.messages('t1', '2026-01'),
  };
}
