import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusal } from '../../../../actors/domain/refusals.ts';
import { type Accepted, actOnce } from '../../../../actors/services/messaging/idempotency.ts';
import { derivedId, momentOfId } from '../../../../runtime/derived-ids.ts';
import { idempotencyIn } from '../../../../store/messaging/idempotency.ts';
import { type MessageRow, messagesSpec } from '../../../../store/messaging/messages.ts';
import { ANNA, type Answer, type Gateway, type Tenant } from '../../../support/gateway.ts';
import { answerLost, asWritten } from '../../../support/lost-answer.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachRealStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aSchedulingFixture, textsOn } from '../scheduling/scheduling-fixture.ts';

const BORIS = '6281211110002';
const SECOND = 1_000;

/** The endpoints that accept an idempotency key, each with a body and a different one. */
interface Send {
  readonly path: string;
  readonly body?: object;
  readonly other?: object;
}

async function sendsOf(scope: Scope, kind: StoreKind) {
  const fixture = await aSchedulingFixture(scope, kind);
  const { api, device, gateway } = fixture;
  const first = await device.text(ANNA, 'Hello');
  await gateway.until('it is read', async () => (await device.message(first)).status === 'read');
  const recurring = {
    name: 'Daily',
    targets: [ANNA],
    message: 'Good morning',
    schedule_type: 'daily',
    schedule_config: { hour: 3, minute: 0 },
  };
  const { id } = (await api('POST', `${device.path}/recurring`, recurring)).body;
  const draft = (name: string) => ({ session_id: device.id, name, message_type: 'text', body: 'Sale', recipients: [{ phone: BORIS }] });
  const campaign = (await api('POST', '/v1/blasts', draft('to be started'))).body;
  const text = (body: string) => ({ chat_id: ANNA, type: 'text', body });
  const at = gateway.clock.now() + 86_400_000;
  const sends: Readonly<Record<string, Send>> = {
    bulk: {
      path: `${device.path}/messages/bulk`,
      body: { messages: [text('one'), { chat_id: 'nobody', type: 'text', body: 'x' }, text('two')] },
      other: { messages: [text('three')] },
    },
    forward: { path: `${device.path}/messages/${first}/forward`, body: { chat_id: BORIS }, other: { chat_id: ANNA } },
    scheduled: {
      path: `${device.path}/scheduled`,
      body: { ...text('later'), scheduled_at: at },
      other: { ...text('never'), scheduled_at: at },
    },
    run: { path: `${device.path}/recurring/${id}/run` },
    campaign: { path: '/v1/blasts', body: draft('Sale'), other: draft('Another') },
    start: { path: `/v1/blasts/${campaign.id}/start`, body: { consent_attested: true }, other: {} },
  };
  const call = ({ path }: Send, body: object | undefined, key: string): Promise<Answer> =>
    api('POST', path, body, { 'idempotency-key': key });
  return { ...fixture, sends, call };
}

const keyed = (key: string) => ({ 'idempotency-key': key });

/** As if the call had died, and its messages had been stored by a version that gave them ids without an order; gives these. */
async function asFormerly({ store }: Gateway, { id: tenant }: Tenant, sent: readonly Accepted[], key: string): Promise<readonly string[]> {
  const callId = await answerLost(store, tenant, key);
  const messages = store.collection<MessageRow>(messagesSpec);
  return Promise.all(
    sent.map(async ({ id }, nth) => {
      const message = (await messages.findOne({ _id: id }))!;
      await messages.deleteOne({ _id: id });
      const _id = derivedId(`${callId} ${nth}`, momentOfId(callId));
      await messages.insertOne({ ...message, _id });
      return _id;
    }),
  );
}

const bare = (body: object): string => JSON.stringify(body).replaceAll(',"idempotent_replay":true', '');

eachRealStore('each type of send with an Idempotency-Key', (kind) => {
  it('returns its first response when repeated with the same body, and rejects another body', async (t) => {
    const { sends, call, api, gateway } = await sendsOf(t, kind);
    for (const [name, send] of Object.entries(sends)) {
      const first = await call(send, send.body, name);
      assert.ok(first.status >= 200 && first.status < 300, `${name}: ${JSON.stringify(first.body)}`);
      await gateway.clock.advance(20 * SECOND);
      const again = await call(send, send.body, name);
      assert.deepEqual([again.status, bare(again.body)], [first.status, bare(first.body)], name);
      if (!send.other) continue;
      const reused = await call(send, send.other, name);
      assert.deepEqual([reused.status, reused.body.code], [422, 'IDEMPOTENCY_KEY_REUSED'], name);
    }
    await gateway.clock.advance(60 * SECOND);
    assert.deepEqual(textsOn(gateway, ANNA).toSorted(), ['Good morning', 'Hello', 'one', 'two']);
    assert.deepEqual(textsOn(gateway, BORIS), ['Hello']);
    assert.equal((await api('GET', '/v1/blasts')).body.blasts.length, 2);
  });

  it('returns its first response even after the requested time has passed', async (t) => {
    const { acme, api, device, gateway } = await aSchedulingFixture(t, kind);
    const other = await acme.linked('6281100000002');
    const at = gateway.clock.now() + 60 * SECOND;
    const text = { chat_id: ANNA, type: 'text', body: 'Your code is 1234' };
    const rotator = (await api('POST', '/v1/rotators', { name: 'Shop', session_ids: [device.id, other.id] })).body;
    const campaign = { session_id: device.id, name: 'Sale', message_type: 'text', body: 'Sale', recipients: [{ phone: BORIS }] };
    const requests: readonly (readonly [string, object])[] = [
      [`${device.path}/messages`, { ...text, expires_at: at }],
      [`/v1/rotators/${rotator.id}/messages`, { ...text, expires_at: at }],
      [`${device.path}/messages/bulk`, { messages: [{ ...text, expires_at: at }] }],
      [`${device.path}/scheduled`, { ...text, scheduled_at: at }],
      ['/v1/blasts', { ...campaign, scheduled_at: at }],
    ];
    const first = [];
    for (const [path, body] of requests) first.push(await api('POST', path, body, keyed(path)));
    await gateway.clock.advance(120 * SECOND);
    const known = textsOn(gateway, ANNA).length;
    for (const [nth, [path, body]] of requests.entries()) {
      const again = await api('POST', path, body, keyed(path));
      assert.deepEqual([again.status, bare(again.body)], [first[nth]?.status, bare(first[nth]?.body)], path);
      const late = await api('POST', path, body, keyed(`${path} anew`.replaceAll(' ', '-')));
      const refusal = path.endsWith('/bulk') ? late.body.results[0] : late.body;
      assert.equal(refusal.code, 'VALIDATION_FAILED', path);
      assert.match(JSON.stringify(refusal.details), /_at is in the past/);
    }
    await gateway.clock.advance(60 * SECOND);
    assert.equal(textsOn(gateway, ANNA).length, known, 'nothing went again');
  });

  it('happens once for concurrent calls, each of which gets the same response or a conflict', async (t) => {
    const { sends, call, api, gateway } = await sendsOf(t, kind);
    for (const [name, send] of Object.entries(sends)) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => call(send, send.body, name)));
      const done = answers.filter(({ status }) => status < 300);
      assert.ok(done.length >= 1, `${name}: ${JSON.stringify(answers[0]!.body)}`);
      assert.equal(new Set(done.map(({ body }) => bare(body))).size, 1, name);
      for (const { status, body } of answers) assert.ok(status < 300 || body.code === 'IDEMPOTENCY_IN_PROGRESS', `${name}: ${status}`);
    }
    await gateway.clock.advance(60 * SECOND);
    assert.deepEqual(textsOn(gateway, ANNA).toSorted(), ['Good morning', 'Hello', 'one', 'two']);
    assert.equal((await api('GET', '/v1/blasts')).body.blasts.length, 2);
  });

  it('sends and logs the messages of a bulk call in order', async (t) => {
    const { api, device, gateway } = await aSchedulingFixture(t, kind);
    const texts = Array.from({ length: 12 }, (_, nth) => `text ${nth}`);
    const send = (key: string) =>
      api(
        'POST',
        `${device.path}/messages/bulk`,
        { messages: texts.map((body) => ({ chat_id: ANNA, type: 'text', body, connect_only: false })) },
        keyed(key),
      );
    // All of them are stored before the first one leaves: several are stored at a time.
    await api('POST', `${device.path}/disconnect`);
    await send('a');
    await api('POST', `${device.path}/connect`);
    await gateway.until('they are there', () => textsOn(gateway, ANNA).length === texts.length);
    assert.deepEqual(textsOn(gateway, ANNA), texts);
    const log = (await api('GET', `${device.path}/messages?limit=50`)).body.messages;
    assert.deepEqual(log.map(({ body }: { body: string }) => body).toReversed(), texts);
  });

  it('returns the same results for a bulk call that an earlier version stored without the order of its messages', async (t) => {
    const { api, acme, device, gateway } = await aSchedulingFixture(t, kind);
    const bulk = { messages: ['one', 'two'].map((body) => ({ chat_id: ANNA, type: 'text', body })) };
    const send = () => api('POST', `${device.path}/messages/bulk`, bulk, keyed('k'));
    const sent: readonly Accepted[] = (await send()).body.results;
    await gateway.until('they are there', () => textsOn(gateway, ANNA).length === 2);
    const formerly = await asFormerly(gateway, acme, sent, 'k');
    assert.deepEqual(
      (await send()).body.results.map(({ id }: Accepted) => id),
      formerly,
    );
    await gateway.clock.advance(20 * SECOND);
    // A connected device may send the second message first, if MongoDB stores it first.
    assert.deepEqual(textsOn(gateway, ANNA).toSorted(), ['one', 'two']);
  });

  it('continues under the same id after a crash at any write', async (t) => {
    const keys = (store: Parameters<typeof idempotencyIn>[0]) => ({ idempotency: idempotencyIn(store, asWritten) });
    for (let write = 1; write <= 3; write += 1)
      for (const isMade of [false, true]) {
        const store = await kind.fresh(t);
        const deps = keys(store);
        await store.prepare();
        const mortal = mortalStore(store, { write, isMade });
        const call = { key: 'k', tenantId: 't1', request: ['a'] };
        const ids = new Set<string>();
        const act = async (id: string) => ids.add(id) && { id };
        const died = await actOnce(keys(mortal.store), call, 1_000, act).catch(() => null);
        const { answer } = await actOnce(deps, call, 61_000, act);
        assert.deepEqual([...ids], [answer.id], `write ${write}`);
        assert.ok(died === null || died.answer.id === answer.id);
        assert.deepEqual(await actOnce(deps, call, 62_000, act), { answer, isReplay: true });
      }
  });

  it('can be repeated after a partial rejection until the slow first call completes', async (t) => {
    const store = await kind.fresh(t);
    const deps = { idempotency: idempotencyIn(store, asWritten) };
    await store.prepare();
    const isWhole = (parts: readonly string[]) => !parts.includes('refused');
    const call = (now: number, act: () => Promise<readonly string[]>) =>
      actOnce(deps, { key: 'k', tenantId: 't1', request: ['a'], isWhole }, now, act);
    const slow = Promise.withResolvers<readonly string[]>();
    const first = call(0, () => slow.promise);
    assert.deepEqual((await call(20_000, async () => ['made', 'refused'])).answer, ['made', 'refused']);
    assert.deepEqual((await call(21_000, async () => ['made', 'refused again', 'refused'])).isReplay, false);
    slow.resolve(['made', 'made, too']);
    const { answer } = await first;
    assert.deepEqual(await call(22_000, async () => ['never asked']), { answer, isReplay: true });
  });

  it('keeps its id when repeated, if the rejected call already had an effect', async (t) => {
    const store = await kind.fresh(t);
    const deps = { idempotency: idempotencyIn(store, asWritten) };
    await store.prepare();
    const ids: string[] = [];
    const call = (now: number, isRefused: boolean) =>
      actOnce(deps, { key: 'k', tenantId: 't1', request: ['a'] }, now, async (id, _isAgain, acted) => {
        ids.push(id);
        acted();
        if (isRefused) throw refusal('UNAVAILABLE');
        return { id };
      }).catch((cause) => cause.code);
    assert.equal(await call(0, true), 'UNAVAILABLE');
    const { answer } = await call(10_000, false);
    assert.deepEqual(ids, [answer.id, answer.id]);
  });

  it('keeps its id when repeated after an unknown outcome, even if later calls are rejected', async (t) => {
    const store = await kind.fresh(t);
    const deps = { idempotency: idempotencyIn(store, asWritten) };
    await store.prepare();
    const told: [string, boolean][] = [];
    const call = (now: number, code: string | null) =>
      actOnce(deps, { key: 'k', tenantId: 't1', request: ['a'], takesMs: 45_000 }, now, async (id, isAgain) => {
        told.push([id, isAgain]);
        if (code) throw refusal(code as 'NOT_CONNECTED');
        return { id };
      }).catch((cause) => cause.code);
    assert.equal(await call(0, 'NOT_CONNECTED'), 'NOT_CONNECTED');
    assert.equal(await call(1_000, 'DEVICE_TIMEOUT'), 'DEVICE_TIMEOUT');
    assert.equal(await call(45_000, null), 'IDEMPOTENCY_IN_PROGRESS');
    assert.equal(await call(46_000, 'NOT_CONNECTED'), 'NOT_CONNECTED');
    assert.equal(await call(47_000, 'DEVICE_TIMEOUT'), 'DEVICE_TIMEOUT', 'a refusal keeps nobody waiting');
    assert.equal(await call(91_000, null), 'IDEMPOTENCY_IN_PROGRESS', 'the last one may have done it, too');
    const { answer } = await call(92_000, null);
    const [refused, ...same] = told;
    assert.notEqual(refused![0], answer.id, 'nothing was made: the next one begins anew');
    assert.deepEqual(
      same,
      [false, true, true, true].map((isAgain) => [answer.id, isAgain]),
    );
  });
});
