import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Api } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { credentialFor } from '../../network/passkeys.ts';
import { DEWI, hired } from '../agents/agents-fixture.ts';
import { aWebhookFixture, type Fixture } from '../webhooks/webhooks-fixture.ts';
import { listen } from './listener.ts';

const PHONE = '6281100000002';
const NAME = 'session.passkey';

eachStore('a passkey request', (kind) => {
  it('reaches the owner by stream and poll even without a webhook, but never reaches agents or webhooks', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, api, device } = fixture;
    const dewi = await hired(gateway, api, 'Dewi', DEWI);
    const key = (await api('POST', '/v1/api-keys', { name: 'other', session_ids: [device.id] })).body.key;
    await fixture.subscribe(['session.connected']);
    const [owner, agent, other] = await Promise.all(
      [api, dewi.api, gateway.as(key)].map((ear) => listen(gateway.node.url, ear, ['session.connected', NAME])),
    );

    const id = await linkedWithPasskey(fixture);
    await gateway.until('all learn that it is online', () => agent!.types().includes('session.connected'));
    await gateway.until('the webhook is told', () => fixture.receiver.of('session.connected').length > 0);

    const received = owner!.events.filter(({ event }) => event === NAME).map(({ data }) => [data.session_id, data.data]);
    assert.deepEqual(received, [
      [id, { step: 'passkey' }],
      [id, { step: 'passkey_confirm' }],
    ]);
    assert.deepEqual(await pulled(api), received);
    assert.deepEqual([agent!.types().includes(NAME), other!.events, fixture.receiver.of(NAME)], [false, [], []]);
    assert.deepEqual([await pulled(dewi.api), await pulled(gateway.as(key))], [[], []]);
    assert.equal((await dewi.api('GET', `/v1/sessions/${id}/passkey`)).status, 403);
  });
});

/** A second device, whose phone wants a passkey and then a code to be compared. */
async function linkedWithPasskey({ gateway, api }: Fixture): Promise<string> {
  const phone = gateway.sandbox.phone(PHONE);
  phone.set({ passkey: true });
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  phone.scan({ qr: await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr) });
  const { options } = await gateway.until('a passkey is asked for', () => at(api, path, 'passkey'));
  await gateway.during(api('POST', `${path}/passkey`, { credential: credentialFor(options.challenge) }));
  await gateway.until('a code to compare', () => at(api, path, 'passkey_confirm'));
  await gateway.during(api('POST', `${path}/passkey/confirm`));
  return id;
}

async function at(api: Api, path: string, step: string) {
  const { status, body } = await api('GET', `${path}/passkey`);
  return status === 200 && body.step === step && body;
}

async function pulled(api: Api) {
  const { events } = (await api('GET', '/v1/events/pull?limit=200')).body;
  return events
    .filter(({ type }: { type: string }) => type === NAME)
    .map(({ session_id, data }: { session_id: string; data: unknown }) => [session_id, data]);
}
