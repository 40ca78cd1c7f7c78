import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pause, systemClock } from '../../runtime/clock.ts';
import { aCuttableStore } from '../support/cuttable-store.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { aLog } from '../support/log.ts';

const isThere = Boolean(process.env['MONGODB_URL']);
const ANSWERS_WITHIN_MS = 4_000;

describe('a store that fails over to another server', { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  it('keeps devices online with their pending writes, and rejects calls until it recovers', async (t) => {
    const { link, kind } = await aCuttableStore(t, ANSWERS_WITHIN_MS);
    const { log, lines } = aLog();
    const gateway = await aGateway(t, { kind, log });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const logins = (): number => gateway.sandbox.journal.of('login').length;
    const failures = (): number => lines('device.store_error').length;
    const before = logins();

    // Nothing is under way: a server that is alone is not asked twice for a write whose answer was lost.
    await gateway.clock.advance(1_000);
    link.cut();
    while (gateway.store.isAway?.() === false) await pause(systemClock, 50);
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'is anybody there?' } });
    // Virtual time waits for the store, with which the message is waiting.
    const passing = gateway.clock.advance(1_000);
    await pause(systemClock, 1.5 * ANSWERS_WITHIN_MS);
    assert.equal(failures(), 0);
    assert.equal((await acme.api('GET', device.path)).status, 503);
    assert.equal((await gateway.api('GET', '/ready')).status, 503);
    assert.equal((await gateway.api('GET', '/health')).status, 200);

    link.mend();
    await passing;
    await gateway.until('the message is stored', async () => {
      const { status, body } = await acme.api('GET', `${device.path}/messages`);
      return status === 200 && JSON.stringify(body).includes('is anybody there?');
    });
    assert.deepEqual([await device.status(), logins(), failures()], ['connected', before, 0]);
  });
});
