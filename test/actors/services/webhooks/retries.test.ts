import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { refusing } from '../../../support/refusing-store.ts';
import { eachStore } from '../../../support/stores.ts';
import { type Answering, answering, isSigned, SECRET } from './receiver.ts';
import { aWebhookFixture, fixtureOf } from './webhooks-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SCHEDULE = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
const RECEIVED = ['message.received'];

eachStore('failing deliveries', (kind) => {
  it('are retried after 30 s, 2 min, 10 min and 1 h under the same id, and are then given up', async (t) => {
    const { gateway, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    const { clock } = gateway;
    const times: number[] = [];
    receiver.answer((response) => {
      times.push(clock.now());
      response.writeHead(500).end('no');
    });
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    await gateway.until('the first try', () => times.length === 1);
    for (const [tries, pause] of SCHEDULE.entries()) {
      const shown = await gateway.until('the failure is shown', async () => {
        const one = await delivery(id);
        return one.attempt === tries + 1 && one;
      });
      assert.deepEqual([shown.status, shown.response_status, shown.error], ['pending', 500, 'status_500']);
      await clock.advanceTo(shown.next_attempt_at - 1);
      assert.equal(times.length, tries + 1, 'not a moment too early');
      await clock.advance(1);
      await gateway.until('the next try', () => times.length === tries + 2);
      assert.ok(times[tries + 1]! - times[tries]! - pause < SECOND);
    }
    const last = await gateway.until('it is over', async () => {
      const one = await delivery(id);
      return one.status === 'failed' && one;
    });
    assert.deepEqual([last.attempt, last.next_attempt_at], [5, null]);
    clock.jump(120 * MINUTE);
    await clock.advance(2 * MINUTE);
    assert.equal(times.length, 5);
    assert.equal(new Set(receiver.received.map(({ raw, headers }) => `${raw} ${headers['x-webhook-id']}`)).size, 1);
  });

  it('succeed at the first 2xx response', async (t) => {
    const { gateway, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    const answers: Answering[] = [answering(302, { location: receiver.url }), (response) => response.destroy(), answering(299)];
    receiver.answer((response, received) => answers[receiver.received.length - 1]?.(response, received));
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    const shown = [];
    for (const tries of [1, 2, 3]) {
      const one = await gateway.until('the next try', async () => {
        const found = await delivery(id);
        return found?.attempt === tries && found;
      });
      shown.push([one.status, one.response_status, one.error]);
      if (one.next_attempt_at !== null) await gateway.clock.advanceTo(one.next_attempt_at);
    }
    assert.deepEqual(shown, [
      ['pending', 302, 'status_302'],
      ['pending', null, 'connection_lost'],
      ['delivered', 299, null],
    ]);
    assert.equal(receiver.received.length, 3, 'the redirect was not followed');
  });

  it('time out after 10 seconds, and only 4 KiB of a response is read', async (t) => {
    const { gateway, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    receiver.answer(() => {});
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    await gateway.until('it is there', () => receiver.received.length === 1);
    const startedAt = gateway.clock.now();
    const slow = await gateway.until('it is over', async () => {
      const one = await delivery(id);
      return one.attempt === 1 && one;
    });
    assert.deepEqual([slow.status, slow.error], ['pending', 'timeout']);
    assert.ok(Math.abs(gateway.clock.now() - startedAt - 10 * SECOND) <= 2 * SECOND);

    const cut = Promise.withResolvers<void>();
    receiver.answer((response) => {
      response.on('close', cut.resolve);
      response.writeHead(200).write('x'.repeat(100_000));
    });
    await gateway.clock.advanceTo(slow.next_attempt_at);
    await gateway.until('it is delivered', async () => (await delivery(id)).status === 'delivered');
    await gateway.during(cut.promise);
  });

  it('stay on schedule after a restart', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    fixture.receiver.answer(answering(503));
    const id = await fixture.subscribe(RECEIVED);
    fixture.write(ANNA, 'hello');
    const before = await fixture.gateway.until('the first try failed', async () => {
      const one = await fixture.delivery(id);
      return one?.attempt === 1 && one;
    });
    const gateway = await fixture.gateway.crash();
    const { receiver, delivery } = fixtureOf(gateway, fixture.acme, fixture.device, fixture.receiver);
    receiver.answer(answering(200));
    await gateway.clock.advanceTo(before.next_attempt_at - 1);
    assert.equal(receiver.received.length, 1);
    await gateway.until('it is delivered', async () => (await delivery(id)).status === 'delivered');
    const [first, second] = receiver.received;
    assert.equal(first?.raw, second?.raw);
    assert.equal(receiver.received.length, 2);
  });

  it('are signed with the current secret when retried', async (t) => {
    const { gateway, api, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    receiver.answer(answering(500));
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    const failed = await gateway.until('the first try failed', async () => {
      const one = await delivery(id);
      return one?.attempt === 1 && one;
    });
    const rotated = 'a new secret of more than 32 characters';
    await api('PATCH', `/v1/webhooks/${id}`, { secret: rotated });
    await gateway.clock.advanceTo(failed.next_attempt_at);
    await gateway.until('the second try', () => receiver.received.length === 2);
    const [first, second] = receiver.received;
    assert.deepEqual([isSigned(first!, SECRET), isSigned(second!, SECRET), isSigned(second!, rotated)], [true, false, true]);
  });

  it('are attempted once more if the user asks for it during the last attempt', async (t) => {
    const { gateway, api, receiver, subscribe, write, delivery } = await aWebhookFixture(t, kind);
    receiver.answer(answering(500));
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    const tried = async (attempt: number) =>
      gateway.until(`try ${attempt}`, async () => {
        const one = await delivery(id);
        return one?.attempt === attempt && one;
      });
    for (const attempt of [1, 2, 3]) await gateway.clock.advanceTo((await tried(attempt)).next_attempt_at);
    const { id: deliveryId, next_attempt_at } = await tried(4);
    const last = Promise.withResolvers<() => void>();
    receiver.answer((response) => last.resolve(() => response.writeHead(500).end()));
    await gateway.clock.advanceTo(next_attempt_at);
    const fail = await gateway.during(last.promise);
    await gateway.clock.advance(SECOND);
    assert.equal((await api('POST', `/v1/webhooks/deliveries/${deliveryId}/redeliver`)).status, 202);
    receiver.answer(answering(200));
    fail();
    const shown = await gateway.until('it is over', async () => {
      const one = await delivery(id);
      return one.status !== 'pending' && one;
    });
    assert.deepEqual([shown.status, shown.attempt, receiver.received.length], ['delivered', 6, 6]);
  });
});

eachStore('a delivery whose result cannot be stored', (kind) => {
  it('is not sent again, and its result is stored as soon as the store accepts it', async (t) => {
    let isFull = false;
    const { gateway, receiver, subscribe, write, delivery } = await aWebhookFixture(
      t,
      refusing(kind, ['deliveries'], () => isFull),
    );
    const { clock } = gateway;
    receiver.answer((response) => {
      isFull = true;
      response.writeHead(200).end();
    });
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    await gateway.until('it is made', () => receiver.received.length === 1);
    await clock.advance(30 * MINUTE);
    assert.equal(receiver.received.length, 1);
    isFull = false;
    const shown = await gateway.until('it is over', async () => {
      const one = await delivery(id);
      return one.status !== 'pending' && one;
    });
    assert.deepEqual([shown.status, shown.attempt, receiver.received.length], ['delivered', 1, 1]);
  });

  it('is counted as one attempt, and the next attempt follows the schedule', async (t) => {
    let isFull = false;
    const { gateway, api, receiver, subscribe, write, delivery } = await aWebhookFixture(
      t,
      refusing(kind, ['deliveries'], () => isFull),
    );
    receiver.answer((response) => {
      isFull = true;
      response.writeHead(500).end();
    });
    const id = await subscribe(RECEIVED);
    write(ANNA, 'hello');
    await gateway.until('it is made', () => receiver.received.length === 1);
    await gateway.clock.advance(10 * MINUTE);
    receiver.answer(answering(500));
    isFull = false;
    const second = await gateway.until('the second try', async () => {
      const one = await delivery(id);
      return one.attempt === 2 && one;
    });
    await gateway.clock.advanceTo(second.next_attempt_at - 1);
    assert.equal(receiver.received.length, 2);
    const { body } = await api('GET', `/v1/webhooks/deliveries/${second.id}`);
    assert.equal(body.attempts.length, 2);
  });
});
