import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { answering, isSigned, type Received, SECRET } from './receiver.ts';
import { aWebhookFixture } from './webhooks-fixture.ts';

const DAY_MS = 86_400_000;
const NEXT = 'the next secret, which is as long as the first';

function isVerifiedBy(secret: string, { raw, headers }: Received): boolean {
  try {
    new Webhook(secret, { format: 'raw' }).verify(raw, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const signaturesIn = ({ headers }: Received): number => String(headers['webhook-signature']).split(' ').length;

eachStore('a changed webhook secret', (kind) => {
  it('signs new deliveries immediately, while the former secret still adds a second signature for a day', async (t) => {
    const { gateway, api, receiver, subscribe, write } = await aWebhookFixture(t, kind);
    const id = await subscribe(['message.received']);
    const key = gateway.as((await api('POST', '/v1/api-keys', { name: 'for good' })).body.key);
    const told = async (text: string): Promise<Received> => {
      write(ANNA, text);
      await gateway.until('it is told', () => receiver.received.at(-1)?.body.data.body === text);
      return receiver.received.at(-1)!;
    };
    // The library holds the timestamp against the machine's own clock.
    gateway.clock.jump(Date.now() - gateway.clock.now());
    assert.equal(signaturesIn(await told('before')), 1);
    assert.equal((await key('PATCH', `/v1/webhooks/${id}`, { secret: NEXT })).status, 200);

    const during = await told('during');
    assert.deepEqual([isVerifiedBy(NEXT, during), isVerifiedBy(SECRET, during), isVerifiedBy('x'.repeat(40), during)], [true, true, false]);
    assert.deepEqual([isSigned(during, NEXT), isSigned(during, SECRET)], [true, false]);

    gateway.clock.jump(DAY_MS);
    const afterwards = await told('afterwards');
    assert.equal(signaturesIn(afterwards), 1);
    assert.ok(isSigned(afterwards, NEXT));
  });

  it('also signs retries of earlier deliveries', async (t) => {
    const { gateway, api, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    const id = await subscribe(['message.received']);
    receiver.answer(answering(500));
    write(ANNA, 'hello');
    const tried = (times: number) =>
      gateway.until(`try ${times} failed`, async () => {
        const one = await delivery(id);
        if (one?.attempt === times - 1) await gateway.clock.advanceTo(one.next_attempt_at);
        return one?.attempt === times;
      });
    await tried(1);
    await api('PATCH', `/v1/webhooks/${id}`, { secret: SECRET });
    await tried(2);
    await api('PATCH', `/v1/webhooks/${id}`, { secret: NEXT });
    await tried(3);
    assert.deepEqual(receiver.received.map(signaturesIn), [1, 1, 2]);
    assert.deepEqual(
      receiver.received.map((one) => isSigned(one, SECRET)),
      [true, true, false],
    );
    assert.equal(JSON.stringify((await api('GET', `/v1/webhooks/${id}`)).body).includes('secret'), false);
  });
});
