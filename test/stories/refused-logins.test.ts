import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Api, aGateway, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { aLog } from '../support/log.ts';
import { scrape } from '../support/scrape.ts';
import { eachStore } from '../support/stores.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The business's calls, once its first token has expired. */
async function again(gateway: Gateway, { tokens }: Tenant): Promise<Api> {
  const { body } = await gateway.api('POST', '/auth/refresh', { refresh_token: tokens.refresh_token });
  return gateway.as(body.token);
}

eachStore('a device whose login is refused', (kind) => {
  it('shows the reason in its session, event, health, log and metrics', async (t) => {
    const { log, lines } = aLog();
    const gateway = await aGateway(t, { kind, log });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const session = async () => (await acme.api('GET', device.path)).body;
    const told = async () => {
      const { events } = (await acme.api('GET', '/v1/events/pull?limit=200')).body;
      return events.filter(({ type }: { type: string }) => type === 'session.disconnected').map(({ data }: { data: object }) => data);
    };
    for (const [fault, code, reason] of [
      ['outdated', 405, 'client_outdated'],
      ['bad_agent', 409, 'network_refused'],
      ['temporarily_banned', 402, 'banned_temporarily'],
    ] as const) {
      const before = (await told()).length;
      const since = gateway.clock.now();
      gateway.sandbox.device(PHONE).fault({ kind: fault, forMs: 5 * MINUTE });
      await gateway.until('it is offline', async () => (await device.status()) === 'disconnected');
      const shown = await session();
      const until = fault === 'temporarily_banned' ? since + 5 * MINUTE : null;
      assert.deepEqual([shown.reason, shown.code, shown.until], [reason, code, until]);
      assert.ok(shown.reason_since >= since && shown.reason_since <= gateway.clock.now());
      await gateway.until('it is told', async () => (await told()).length > before);
      assert.deepEqual((await told()).slice(before), [{ reason: `status_${code}`, cause: reason, code, until }]);
      assert.equal((await scrape(gateway.node.url)).value('gateway_login_refusals_total', { reason }), 1);
      const [line] = lines('network.login_refused').slice(-1);
      assert.deepEqual([line?.['reason'], line?.['code'], line?.['device']], [reason, code, device.id]);
      await gateway.until('its health says so', async () => {
        const { body } = await acme.api('GET', `${device.path}/health`);
        return body.color === 'red' && body.reason === reason && body.reasons.some(({ what }: { what: string }) => what === reason);
      });

      await gateway.clock.advance(5 * MINUTE);
      if (fault !== 'temporarily_banned') await acme.api('POST', `${device.path}/connect`);
      await gateway.until('it is back', async () => (await device.status()) === 'connected');
      const back = await session();
      assert.deepEqual([back.reason, back.reason_since, back.code, back.until], [null, null, null, null]);
    }
  });

  it('logs in again once an hour, even after a restart, and publishes the reason only once', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'bad_agent', forMs: 90 * MINUTE });
    await gateway.until('it is offline', async () => (await device.status()) === 'disconnected');
    await gateway.clock.advance(10 * MINUTE);
    const next = await gateway.crash();
    const refusals = async () => (await scrape(next.node.url)).value('gateway_login_refusals_total', { reason: 'network_refused' });
    await next.clock.advance(40 * MINUTE);
    assert.equal(await refusals(), 0, 'the next process does not try sooner');
    await next.clock.advance(15 * MINUTE);
    assert.equal(await refusals(), 1);
    await next.clock.advance(65 * MINUTE);
    const api = await again(next, acme);
    const { body } = await api('GET', device.path);
    assert.deepEqual([body.status, body.reason], ['connected', null]);
    const { events } = (await api('GET', '/v1/events/pull?limit=200')).body;
    const reasons = events
      .filter(({ type }: { type: string }) => type === 'session.disconnected')
      .map(({ data }: { data: { reason: string } }) => data.reason);
    assert.deepEqual(reasons, ['status_409']);
  });

  it('must be linked again after its account has been locked', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'locked', forMs: 30 * SECOND });
    await gateway.until('it failed', async () => (await device.status()) === 'failed');
    const { reason, code } = (await acme.api('GET', device.path)).body;
    assert.deepEqual([reason, code], ['banned', 403]);
  });
});
