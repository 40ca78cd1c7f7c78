import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSender, PLATFORM } from '../../actors/services/accounts/platform-sender.ts';
import { devicesIn } from '../../store/devices/devices.ts';
import { ANNA, aGateway, codeOn, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore("the platform's sender", (kind) => {
  it('is created only once, even if the first requests are concurrent', async (t) => {
    const store = await kind.fresh(t);
    const devices = devicesIn(store);
    await store.prepare();
    const nobody = () => {
      throw new Error('no actor is asked here');
    };
    const senders = [1, 2].map(() => createSender({ devices, now: () => 1_767_225_600_000, device: nobody }));
    const found = await Promise.all([...senders, ...senders].map((sender) => sender.find()));
    assert.equal(new Set(found.map(({ _id, secret }) => `${_id} ${secret}`)).size, 1);
    assert.equal(await devices.count(PLATFORM), 1);
  });

  it("hides its codes from agents and keys, even if the owner's phone is linked as a device", async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp('Acme', `+${PHONE}`);
    const device = await acme.linked(PHONE);
    const reader = gateway.as((await acme.api('POST', '/v1/api-keys', { name: 'reads', scopes: ['read'] })).body.key);
    await gateway.clock.advance(120_000);
    await gateway.api('POST', '/auth/request-otp', { phone: `+${PHONE}` });
    const code = codeOn(gateway.sandbox, PHONE);
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Hello' } });
    const log = async () => (await reader('GET', `${device.path}/messages`)).body.messages.map(({ body }: { body: string }) => body);
    await gateway.until('Anna is heard', async () => (await log()).includes('Hello'));
    await gateway.clock.advance(60_000);
    assert.match(code, /^\d{6}$/);
    const all = JSON.stringify([
      await log(),
      (await reader('GET', `${device.path}/chats`)).body,
      (await reader('GET', '/v1/events/pull')).body,
    ]);
    assert.ok(!all.includes(code), all);
    assert.deepEqual(await log(), ['Hello']);
  });

  it('can be linked by an operator who scans a code shown as an image', async (t) => {
    const { api, operator, sandbox, until } = await aGateway(t, { kind });
    assert.equal((await operator('GET', '/v1/admin/sender/qr')).body.code, 'CONFLICT');
    sandbox.device('12025550100').fault({ kind: 'logout' });
    await until('it is unlinked', async () => (await operator('GET', '/v1/admin/sender')).body.status === 'failed');
    await operator('POST', '/v1/admin/sender/connect');
    const { qr } = await until('a code', async () => {
      const { status, body } = await operator('GET', '/v1/admin/sender/qr');
      return status === 200 && body;
    });
    for (const [query, type] of [
      ['format=png', 'image/png'],
      ['format=svg', 'image/svg+xml'],
      ['format=text', 'text/plain; charset=utf-8'],
    ]) {
      const { headers, body } = await operator('GET', `/v1/admin/sender/qr?${query}`);
      assert.ok(body.length > 200);
      assert.deepEqual([headers.get('content-type'), headers.get('cache-control')], [type, 'no-store']);
    }
    assert.equal((await api('GET', '/v1/admin/sender/qr')).status, 401);
    sandbox.phone('12025550100').scan({ qr });
    await until('it is online again', async () => (await operator('GET', '/v1/admin/sender')).body.status === 'connected');
  });
});
