import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GROUP } from '../../../../actors/services/credentials/sealed-secrets.ts';
import { secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { webhooksIn } from '../../../../store/webhooks/webhooks.ts';
import { ANNA } from '../../../support/gateway.ts';
import { aLog } from '../../../support/log.ts';
import { eachStore } from '../../../support/stores.ts';
import { isSigned, SECRET } from './receiver.ts';
import { aWebhookFixture, type Fixture, fixtureOf } from './webhooks-fixture.ts';

const RECEIVED = ['message.received'];
const NEXT = 'the next secret, which is as long as the first';
const [OLD_KEY, NEW_KEY] = ['a'.repeat(64), 'b'.repeat(64)];
/** No key seals like this. */
const DAMAGED = 'gcm.0.AAAA';

const keeps = ({ gateway, acme }: Fixture, id: string, secret: string) => webhooksIn(gateway.store).change(acme.id, id, { secret });

eachStore('a webhook whose secret cannot be decrypted', (kind) => {
  it('receives no events, but does not affect other webhooks', async (t) => {
    const { log, lines } = aLog();
    const fixture = await aWebhookFixture(t, kind, {}, undefined, log);
    const { gateway, api, receiver, subscribe, write, delivery } = fixture;
    const lost = await subscribe(RECEIVED, `${receiver.url}/lost`);
    await subscribe(RECEIVED);
    await keeps(fixture, lost, DAMAGED);
    write(ANNA, 'hello');
    await gateway.until('the other one is told', () => receiver.received.length === 1);
    assert.equal((await api('GET', '/v1/events/pull')).body.events.at(-1).data.body, 'hello');
    await gateway.clock.advance(3 * 60_000);
    assert.equal(receiver.received.length, 1);
    const { status, attempt, error } = await delivery(lost);
    assert.deepEqual([status, attempt, error], ['pending', 0, null]);
    assert.deepEqual(
      lines('webhook.').map(({ event, level, webhook }) => [event, level, webhook]),
      [['webhook.secret_unreadable', 50, lost]],
    );
  });

  it('shows an error, and receives its pending events once it has a new secret', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, api, subscribe, receiver, write } = fixture;
    const id = await subscribe(RECEIVED);
    const errors = async () => (await api('GET', '/v1/webhooks')).body.webhooks.map(({ error }: { error: string | null }) => error);
    assert.deepEqual(await errors(), [null]);
    await keeps(fixture, id, DAMAGED);
    assert.deepEqual(await errors(), ['secret_unreadable']);
    write(ANNA, 'hello');
    await gateway.clock.advance(10_000);
    const { status, body } = await api('POST', `/v1/webhooks/${id}/test`);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.match(body.error, /rahasia|secret/);

    assert.equal(
      (await api('PATCH', `/v1/webhooks/${id}`, { events: ['message.received', 'message.sent'] })).body.error,
      'secret_unreadable',
    );
    assert.equal((await api('PATCH', `/v1/webhooks/${id}`, { secret: NEXT })).body.error, null);
    await gateway.until('it is told', () => receiver.received.length === 1);
    assert.ok(isSigned(receiver.received[0]!, NEXT));
    assert.equal(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length, 1, 'the lost one signs nothing');
  });

  it("gets only the new secret's signature if only the former secret cannot be decrypted", async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, acme, api, subscribe, receiver, write } = fixture;
    const id = await subscribe(RECEIVED);
    await api('PATCH', `/v1/webhooks/${id}`, { secret: NEXT });
    await webhooksIn(gateway.store).change(acme.id, id, { retired: { secret: DAMAGED, until: gateway.clock.now() + 3_600_000 } });
    write(ANNA, 'hello');
    await gateway.until('it is told', () => receiver.received.length === 1);
    assert.equal(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length, 1);
  });

  it('receives its pending events as soon as the encryption key is restored', async (t) => {
    const before: string[] = [];
    const fixture = await aWebhookFixture(t, kind, { secrets_key: NEW_KEY, secrets_keys_before: before });
    const id = await fixture.subscribe(RECEIVED);
    await keeps(fixture, id, createSealer(secretKeysOf(OLD_KEY, [], '')).seal(GROUP, `webhook ${id}`, SECRET));
    fixture.write(ANNA, 'hello');
    await fixture.gateway.clock.advance(3 * 60_000);
    assert.equal(fixture.receiver.received.length, 0);
    before.push(OLD_KEY);
    const { gateway, receiver } = fixtureOf(await fixture.gateway.crash(), fixture.acme, fixture.device, fixture.receiver);
    await gateway.until('it is told', () => receiver.received.length === 1);
    assert.ok(isSigned(receiver.received[0]!, SECRET));
  });
});
