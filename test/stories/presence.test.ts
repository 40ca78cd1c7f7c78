import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { listen } from '../actors/services/live/listener.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const EVENT = 'chat.presence';

async function aShop(t: Scope, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const verbs = sandboxVerbs(gateway.sandbox);
  const shows = (presence: string) => gateway.until(`it is ${presence}`, () => verbs.device(PHONE).presence === presence);
  const set = (presence: string) => acme.api('PATCH', device.path, { presence });
  return { gateway, acme, device, verbs, shows, set };
}

eachStore("a device's presence", (kind) => {
  it('is offline by default, and in auto mode depends on streams subscribed to typing', async (t) => {
    const { gateway, acme, device, verbs, shows, set } = await aShop(t, kind);
    assert.equal((await acme.api('GET', device.path)).body.presence, 'offline');
    await shows('unavailable');
    const wrong = await set('away');
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'VALIDATION_FAILED']);
    assert.equal((await set('online')).body.presence, 'online');
    await shows('available');
    verbs.fault(PHONE, { kind: 'drop' });
    await shows('unavailable');
    await shows('available');
    assert.equal((await set('auto')).body.presence, 'auto');
    await shows('unavailable');
    const plain = await listen(gateway.node.url, acme.api);
    const watching = await listen(gateway.node.url, acme.api, [EVENT]);
    await shows('available');
    verbs.act(ANNA, { act: 'typing', to: PHONE });
    const { data } = await gateway.until('it is told', () => watching.events[0]);
    const jid = `${ANNA}@s.whatsapp.net`;
    assert.deepEqual(
      [data.type, data.session_id, data.data],
      [EVENT, device.id, { chat_id: jid, phone: ANNA, lid: null, state: 'composing' }],
    );
    verbs.act(ANNA, { act: 'typing', to: PHONE, state: 'paused' });
    await gateway.until('that it stopped is told', () => watching.events.some((one) => one.data.data.state === 'paused'));
    watching.close();
    await shows('unavailable');
    verbs.act(ANNA, { act: 'typing', to: PHONE });
    verbs.write(ANNA, { to: PHONE, body: 'Hello' });
    await gateway.until('the message is told', () => plain.types().includes('message.received'));
    assert.ok(!plain.types().includes(EVENT));
    plain.close();
    const { status } = await acme.api('POST', '/v1/webhooks', {
      url: 'https://example.com/',
      secret: 'a secret of sixteen',
      events: [EVENT],
    });
    assert.equal(status, 400);
  });

  it('can be set to online only by a key with the manage scope', async (t) => {
    const { acme, device, gateway } = await aShop(t, kind);
    const { secret, key } = (await acme.api('POST', '/v1/api-keys', { name: 'reader', scopes: ['read', 'send'] })).body;
    const headers = { authorization: `Bearer ${secret ?? key}` };
    assert.equal((await gateway.api('PATCH', device.path, { presence: 'online' }, headers)).status, 403);
  });
});
