import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deviceActorId } from '../../actors/device/actor-id.ts';
import { plansFrom } from '../../actors/domain/plans.ts';
import { interpose, type Operation } from '../../scripts/faults/interpose.ts';
import { SENDER_PHONE } from '../../scripts/wiring/link-sender.ts';
import { ANNA, type Answer, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore, type StoreKind } from '../support/stores.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OWNER = { name: 'Acme', phone: '+62 811-0000-9999' };

eachStore('a gateway with full queues or failing dependencies', (kind) => {
  it("returns 503 without storing a message or using quota if a device's queue is full", async (t) => {
    const gateway = await aGateway(t, { kind, config: { queue_limit: 2, plans: plansFrom({ free: { messages: 3 } }) } });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await acme.api('POST', `${device.path}/disconnect`);
    const send = () => acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi', connect_only: false });
    assert.deepEqual([(await send()).status, (await send()).status], [202, 202]);

    const refused = await send();
    assertRefused(refused, 503, 'OVERLOADED');
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.equal((await acme.api('GET', `${device.path}/messages`)).body.messages.length, 2);

    await acme.api('POST', `${device.path}/connect`);
    await gateway.until('both are sent', () => accepted(gateway, PHONE) === 2);
    assert.equal((await send()).body.status, 'queued');
    assert.equal((await send()).body.status, 'failed');
  });

  it('keeps a message while the network is silent, reconnects after 30 s, and delivers it once', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 45 * SECOND });
    const id = await device.text(ANNA, 'Hello?');
    await gateway.until('it is on the wire', () => count(gateway, 'swallowed', PHONE) === 1);
    const before = count(gateway, 'logout', PHONE);

    await gateway.clock.advance(29 * SECOND);
    assert.equal(count(gateway, 'logout', PHONE), before);
    assert.equal((await device.message(id)).status, 'queued');
    await gateway.clock.advance(2 * SECOND);
    assert.equal(count(gateway, 'logout', PHONE), before + 1);
    assert.equal(await device.status(), 'disconnected');
    await gateway.until('it has arrived', async () => (await device.message(id)).status === 'read');
    assert.deepEqual([accepted(gateway, PHONE), gateway.sandbox.phone(ANNA).messages().length], [1, 1]);
  });

  it('returns 502 without creating a tenant if a sign-up code cannot be delivered', async (t) => {
    const gateway = await aGateway(t, { kind });
    gateway.sandbox.device(SENDER_PHONE).fault({ kind: 'silent', forMs: MINUTE });
    assertRefused(await gateway.during(gateway.api('POST', '/auth/register', OWNER)), 502, 'NOT_DELIVERED');
    assert.deepEqual(await tenants(gateway), []);

    await gateway.clock.advance(2 * MINUTE);
    await gateway.until('the sender is back', async () => (await gateway.operator('GET', '/v1/admin/sender')).body.status === 'connected');
    await gateway.signUp();
    assert.equal((await tenants(gateway)).length, 1);
  });

  it("returns 503 without creating a tenant while the platform's sender is offline", async (t) => {
    const gateway = await aGateway(t, { kind });
    gateway.sandbox.device(SENDER_PHONE).fault({ kind: 'drop', forMs: MINUTE });
    await gateway.until(
      'the sender is offline',
      async () => (await gateway.operator('GET', '/v1/admin/sender')).body.status === 'disconnected',
    );
    const refused = await gateway.api('POST', '/auth/register', OWNER);
    assertRefused(refused, 503, 'UNAVAILABLE');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.deepEqual(await tenants(gateway), []);
  });

  it('returns 503 while the store is down, and sends each message once after it recovers', async (t) => {
    const { troubled, trouble } = troubledStore(kind);
    const gateway = await aGateway(t, { kind: troubled });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 10 * SECOND, max_delay_ms: 10 * SECOND } });
    const ids = [await device.text(ANNA, 'one'), await device.text(ANNA, 'two')];

    trouble.isDown = true;
    const refused = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'three' });
    assertRefused(refused, 503, 'UNAVAILABLE');
    const ready = await gateway.api('GET', '/ready');
    assert.deepEqual([ready.status, ready.body.checks.store], [503, 'failing']);
    assert.equal((await gateway.api('GET', '/health')).status, 200);
    await gateway.clock.advance(2 * MINUTE);

    trouble.isDown = false;
    assert.equal((await gateway.api('GET', '/ready')).status, 200);
    for (const id of ids) await gateway.until('it is sent', async () => (await device.message(id)).status !== 'queued');
    assert.equal(await device.status(), 'connected');
    assert.equal(accepted(gateway, PHONE), 2);
    assert.equal((await acme.api('GET', `${device.path}/messages`)).body.messages.length, 2);
  });

  it("returns 503 without side effects if a device's mailbox is full", { timeout: 600_000 }, async (t) => {
    const { troubled, trouble } = troubledStore(kind);
    const gateway = await aGateway(t, { kind: troubled });
    const acme = await gateway.signUp();
    const { id } = (await acme.api('POST', '/v1/sessions', {})).body;
    const waking = Promise.withResolvers<void>();
    t.after(() => waking.resolve());
    trouble.before = async ({ collection, name }) => {
      if (collection === 'devices' && name === 'findOneAndUpdate') await waking.promise;
    };
    const device = gateway.node.actors.ref<{ readonly type: 'workArrived' }>('device', deviceActorId(acme.id, id));
    for (let told = 0; told < 1_000; told++) device.tell({ type: 'workArrived' });

    const refused = await acme.api('POST', `/v1/sessions/${id}/connect`);
    waking.resolve();
    assertRefused(refused, 503, 'OVERLOADED');
    assert.equal(refused.headers.get('retry-after'), '1');
    await gateway.clock.advance(MINUTE);
    assert.equal((await acme.api('GET', `/v1/sessions/${id}`)).body.status, 'pending');
    assert.equal((await acme.api('POST', `/v1/sessions/${id}/connect`)).status, 202);
  });
});

interface Trouble {
  isDown: boolean;
  before: (operation: Operation) => Promise<void>;
}

/** A store of this kind whose operations wait or fail as the story wants: while it is down, as the driver does when no server answers. */
function troubledStore(kind: StoreKind): { readonly troubled: StoreKind; readonly trouble: Trouble } {
  const trouble: Trouble = { isDown: false, before: async () => {} };
  const troubled: StoreKind = {
    name: kind.name,
    fresh: async (scope) =>
      interpose(await kind.fresh(scope), async (operation, run) => {
        if (trouble.isDown) throw Object.assign(new Error('no server answers'), { name: 'MongoServerSelectionError' });
        await trouble.before(operation);
        return run();
      }),
  };
  return { troubled, trouble };
}

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.code], [status, code]);
}

const tenants = async ({ operator }: Gateway): Promise<unknown[]> => (await operator('GET', '/v1/admin/tenants')).body.tenants;
const accepted = (gateway: Gateway, phone: string): number => count(gateway, 'accepted', phone);
const count = ({ sandbox }: Gateway, what: 'accepted' | 'swallowed' | 'logout', phone: string): number =>
  sandbox.journal.of(what).filter((entry) => entry.phone === phone).length;
