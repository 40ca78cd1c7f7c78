import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Device } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aSchedulingFixture, repeatedMeanwhile } from './scheduling-fixture.ts';

const SECOND = '6281100000002';
const customer = (nth: number): string => `62812111100${String(nth).padStart(2, '0')}`;

/** Two devices that take turns. */
async function aRotator(scope: Scope, kind: StoreKind, strategy?: string) {
  const fixture = await aSchedulingFixture(scope, kind);
  const { acme, api, device } = fixture;
  const other = await acme.linked(SECOND);
  const made = await api('POST', '/v1/rotators', { name: 'Counters', session_ids: [device.id, other.id], ...(strategy && { strategy }) });
  const path = `/v1/rotators/${made.body.id}`;
  const send = async (to: string, more: object = {}, headers = {}) =>
    (await api('POST', `${path}/messages`, { chat_id: to, type: 'text', body: 'Hi', ...more }, headers)).body;
  return { ...fixture, other, made, path, send };
}

const offline = async (api: (method: string, path: string) => Promise<unknown>, { path }: Device): Promise<unknown> =>
  api('POST', `${path}/disconnect`);

eachStore('a rotator', (kind) => {
  it("assigns new chats to its devices in turn, and keeps each chat's device", async (t) => {
    const { device, other, made, send, gateway } = await aRotator(t, kind);
    assert.deepEqual([made.status, made.body.strategy], [201, 'round_robin']);
    const first: string[] = [];
    for (const nth of [1, 2, 3, 4]) first.push((await send(customer(nth))).session_id);
    assert.deepEqual(first, [device.id, other.id, device.id, other.id]);
    for (const nth of [2, 1, 2]) assert.equal((await send(customer(nth))).session_id, first[nth - 1]);
    await gateway.until('all arrived', () => gateway.sandbox.phone(customer(2)).messages().length === 3);
  });

  it('moves a chat to another device when its own is offline, and keeps it there', async (t) => {
    const { api, device, other, send } = await aRotator(t, kind);
    assert.equal((await send(customer(1))).session_id, device.id);
    await offline(api, device);
    assert.equal((await send(customer(1))).session_id, other.id);
    await offline(api, other);
    assert.equal((await send(customer(1))).code, 'CONFLICT');
    assert.equal((await send(customer(1), { connect_only: false })).session_id, other.id);
  });

  it('picks the device that has been idle longest, or a random one', async (t) => {
    const { api, device, other, path, send, gateway } = await aRotator(t, kind, 'least_recent');
    await send(customer(1));
    await gateway.clock.advance(1_000);
    await send(customer(2));
    await gateway.clock.advance(1_000);
    assert.equal((await send(customer(3))).session_id, device.id);
    assert.equal((await api('PATCH', path, { strategy: 'random' })).body.strategy, 'random');
    const chosen = new Set<string>();
    for (let nth = 10; nth < 22; nth += 1) chosen.add((await send(customer(nth))).session_id);
    assert.deepEqual(chosen, new Set([device.id, other.id]));
  });

  it('uses the same device for concurrent sends to one chat', async (t) => {
    const { send } = await aRotator(t, kind);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(customer(1))));
    assert.equal(new Set(answers.map(({ session_id }) => session_id)).size, 1);
  });

  it('returns the original message when a call is repeated', async (t) => {
    const { api, device, send } = await aRotator(t, kind);
    const first = await send(customer(1), {}, { 'idempotency-key': 'k1' });
    await offline(api, device);
    const again = await send(customer(1), {}, { 'idempotency-key': 'k1' });
    assert.deepEqual([again.id, again.session_id, again.idempotent_replay], [first.id, first.session_id, true]);
  });

  it('is created only once per Idempotency-Key', async (t) => {
    const { api, device, other } = await aRotator(t, kind);
    const [body, key] = [{ name: 'Desks', session_ids: [device.id, other.id] }, { 'idempotency-key': 'desks-1' }];
    const first = await api('POST', '/v1/rotators', body, key);
    const again = await api('POST', '/v1/rotators', body, key);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.equal((await api('POST', '/v1/rotators', { ...body, name: 'Others' }, key)).body.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await api('GET', '/v1/rotators')).body.rotators.length, 2);
  });

  it('is created only once per Idempotency-Key, even if a second call overtakes the first', async (t) => {
    const { fixture, answers } = await repeatedMeanwhile(t, kind, { name: 'rotators', reading: 'find' }, async ({ api, device }) => {
      const { id } = (await api('POST', '/v1/sessions', {})).body;
      return () => api('POST', '/v1/rotators', { name: 'Desks', session_ids: [device.id, id] }, { 'idempotency-key': 'desks-1' });
    });
    for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body));
    const { rotators } = (await fixture.api('GET', '/v1/rotators')).body;
    assert.deepEqual(
      [...rotators, ...rotators],
      answers.map(({ body }) => body),
    );
  });

  it('can be changed, listed and removed, but cannot contain devices of another tenant', async (t) => {
    const { api, device, made, path, gateway } = await aRotator(t, kind);
    const whole = { rotators: [made.body], next_before: null, next_before_id: null };
    assert.deepEqual((await api('GET', '/v1/rotators?limit=1')).body, whole);
    assert.deepEqual((await api('PATCH', path, { name: 'New' })).body.session_ids, made.body.session_ids);
    const stranger = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await stranger.api('GET', path)).status, 404);
    const foreign = { name: 'x', session_ids: [device.id, '01JZX5ZB4T8QKX3N9V7C2M6D1E'] };
    assert.equal((await api('POST', '/v1/rotators', foreign)).body.code, 'NOT_FOUND');
    assert.deepEqual((await api('DELETE', path)).body, { ok: true });
    assert.equal((await api('GET', path)).status, 404);
  });
});
