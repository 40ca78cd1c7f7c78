import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listen } from '../../actors/services/live/listener.ts';
import { aReceiver } from '../../actors/services/webhooks/receiver.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('API key scopes', (kind) => {
  it('reserve linking codes for keys with the manage scope on every endpoint', async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, config: { egress_allow: [receiver.place] } });
    const { api } = await gateway.signUp();
    await api('POST', '/v1/webhooks', { url: receiver.url, secret: 'a secret that only the two of us know', events: ['qr.generated'] });
    const keyFor = async (scopes: readonly string[]) =>
      gateway.as((await api('POST', '/v1/api-keys', { name: scopes.join(), scopes })).body.key);
    const [reader, manager] = [await keyFor(['read', 'send']), await keyFor(['read', 'manage'])];
    const ears = [await listen(gateway.node.url, reader), await listen(gateway.node.url, manager)];
    const path = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
    for (const verb of ['connect', 'pairing-code', 'passkey', 'passkey/confirm'])
      assert.equal((await reader('POST', `${path}/${verb}`, {})).status, 403, verb);
    await api('POST', `${path}/connect`);
    await gateway.until('a code is shown', async () => (await manager('GET', `${path}/qr`)).status === 200);
    for (const secret of ['qr', 'passkey']) assert.equal((await reader('GET', `${path}/${secret}`)).status, 403, secret);
    await gateway.until('the code is told', () => ears[1]!.types().includes('qr.generated'));
    assert.deepEqual(ears[0]!.types(), []);
    const pulled = async (key: typeof reader) =>
      (await key('GET', '/v1/events/pull')).body.events.map(({ type }: { type: string }) => type).includes('qr.generated');
    assert.deepEqual([await pulled(reader), await pulled(manager)], [false, true]);
    const [delivery] = (await reader('GET', '/v1/webhooks/deliveries?event=qr.generated')).body.deliveries;
    const delivered = async (key: typeof reader) => (await key('GET', `/v1/webhooks/deliveries/${delivery.id}`)).status;
    assert.deepEqual([await delivered(reader), await delivered(manager)], [403, 200]);
  });

  it("allow a key to create a webhook only if it may also read the webhook's deliveries", async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, config: { egress_allow: [receiver.place] } });
    const { api } = await gateway.signUp();
    const webhook = { url: receiver.url, secret: 'a secret that only the two of us know', events: ['message.received'] };
    const statusFor = async (scopes: readonly string[]) => {
      const { key } = (await api('POST', '/v1/api-keys', { name: scopes.join(), scopes })).body;
      return (await gateway.as(key)('POST', '/v1/webhooks', webhook)).status;
    };
    assert.deepEqual([await statusFor(['manage']), await statusFor(['read']), await statusFor(['read', 'manage'])], [403, 403, 201]);
  });
});
