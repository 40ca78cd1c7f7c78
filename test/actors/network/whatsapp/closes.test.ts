import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndCode } from '../../../network-peer/server/endings.ts';
import type { Answer, Api } from '../../../support/gateway.ts';
import { atNight, isNight } from '../../../support/night.ts';
import { embedded } from '../../../support/stores.ts';
import { aRealGateway, type RealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';

const reasonsIn = (events: Answer['body'][]): readonly string[] =>
  events.filter(({ type }) => type === 'session.disconnected').map(({ data }) => data.reason);

/** A device of the shop, and what the gateway tells of it. */
async function aShop(gateway: RealGateway) {
  const { peer, until } = gateway;
  const api: Api = gateway.as(await gateway.signUp(OWNER));
  const path = await gateway.linked(api, SHOP);
  const status = async (): Promise<string> => (await api('GET', path)).body.status;
  const told = async () => reasonsIn((await api('GET', '/v1/events/pull?limit=200')).body.events);
  return {
    api,
    path,
    status,
    session: () => api('GET', path),
    told,
    reason: async (): Promise<string> => (await api('GET', `${path}/health`)).body.reason,
    logins: () => peer.journal.events('logged-in').length,
    /** Waits until the loss was told, and answers its reason. */
    async loses(end: () => void): Promise<string> {
      const before = (await told()).length;
      end();
      return until('the loss is told', async () => (await told())[before]);
    },
    isBack: () => until('it is back', async () => (await status()) === 'connected'),
    async linkAgain(): Promise<void> {
      await api('POST', `${path}/connect`);
      await peer.phone(SHOP).scans(await until('a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr));
      await until('it is back', async () => (await status()) === 'connected');
    },
  };
}

describe('a close code from the network', () => {
  it('is reported, and the device reconnects automatically after most codes', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, clock, until } = gateway;
    const { status, reason, loses, isBack, logins } = await aShop(gateway);
    for (const code of [500, 503] as const) {
      assert.equal(await loses(() => peer.ends(SHOP, code)), `status_${code}`);
      await isBack();
    }
    assert.equal(await loses(() => peer.cut(SHOP)), 'status_428');
    await isBack();

    assert.equal(await loses(() => peer.ends(SHOP, 440)), 'status_440');
    const before = logins();
    await clock.advance(50_000);
    assert.deepEqual([await status(), logins()], ['disconnected', before], 'whoever took its place is not thrown out at once');
    await isBack();

    const lift = peer.fault({ kind: 'half-open', phone: SHOP });
    assert.equal(await loses(() => peer.cut(SHOP)), 'status_428');
    // Chance chooses how long it waits before it dials.
    await until('that it cannot be reached is told', async () => (await reason()) === 'unreachable');
    assert.equal(await status(), 'disconnected');
    lift();
    await isBack();
  });

  it('is not reported as an outage if it only asks the device to reconnect', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, clock, until } = gateway;
    const { logins, told, isBack } = await aShop(gateway);
    await clock.advance(61_000);
    const before = logins();
    peer.ends(SHOP, 515);
    await until('it came again', () => logins() > before);
    await isBack();
    assert.ok((await told()).every((reason) => reason === 'status_515'));
  });

  it('can mean a temporary ban, after which the login is retried', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, clock, until } = gateway;
    const { status, reason, logins, isBack, session } = await aShop(gateway);
    const refusals = (): number => peer.journal.events('login-refused').length;
    const before = logins();
    const lift = peer.fault({ kind: 'refuse-logins', code: 402, phone: SHOP, says: { code: 101, expire: 300 } });
    peer.cut(SHOP);
    await until('that is told', async () => (await reason()) === 'banned_temporarily');
    const { code, until: end } = (await session()).body;
    assert.deepEqual([code, end > clock.now(), end <= clock.now() + 300_000], [402, true, true]);
    await clock.advance(250_000);
    assert.deepEqual([await status(), refusals()], ['disconnected', 1]);
    lift();
    await isBack();
    assert.equal(logins(), before + 1);
  });

  it('can be final, which prevents further logins until the phone is linked again', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, clock } = gateway;
    const { status, loses, logins, linkAgain } = await aShop(gateway);
    const finals: readonly (readonly [EndCode, string])[] = [
      [401, 'logged_out'],
      [403, 'banned'],
    ];
    for (const [code, reason] of finals) {
      if (code !== 401) await linkAgain();
      assert.equal(await loses(() => peer.ends(SHOP, code)), reason);
      const before = logins();
      await clock.advance(120_000);
      assert.deepEqual([await status(), logins()], ['failed', before], `${code}`);
    }
  });
});

/** Refusals that leave the login as good as before, and name no time. */
const REFUSED: readonly (readonly [code: number, reason: string])[] = [
  ...(isNight ? [400, 411, 501] : [400]).map((code) => [code, 'network_refused'] as const),
  [405, 'client_outdated'],
];

describe('a device whose login is refused by the network', () => {
  it('shows the reason and keeps its login', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, until } = gateway;
    const { api, path, reason, session, isBack, told } = await aShop(gateway);
    for (const [code, expected] of REFUSED) {
      const events = (await told()).length;
      const lift = peer.fault({ kind: 'refuse-logins', code, phone: SHOP });
      peer.cut(SHOP);
      await until(`${code} is shown`, async () => (await reason()) === expected);
      const shown = (await session()).body;
      assert.deepEqual([shown.status, shown.reason, shown.code, shown.until], ['disconnected', expected, code, null]);
      lift();
      await api('POST', `${path}/connect`);
      await isBack();
      assert.deepEqual((await told()).slice(events), ['status_428', `status_${code}`]);
    }
  });

  // By day of the sandbox (test/stories/refused-logins.test.ts): an hour is thousands of timers, each of which waits for the real driver.
  atNight('hourly attempts of a refused login on the real driver', () =>
    it('retries every hour', async (t) => {
      const gateway = await aRealGateway(t, embedded);
      const { peer, clock, until } = gateway;
      const { reason } = await aShop(gateway);
      const refusals = (): number => peer.journal.events('login-refused').length;
      peer.fault({ kind: 'refuse-logins', code: 409, phone: SHOP });
      peer.cut(SHOP);
      await until('it is shown', async () => (await reason()) === 'network_refused');
      await clock.advance(3_200_000);
      assert.equal(refusals(), 1);
      await clock.advance(500_000);
      assert.equal(refusals(), 2);
    }),
  );

  it('stays pending with the reason if it is being linked, until its user retries', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, until } = gateway;
    const { api, linkAgain, path } = await aShop(gateway);
    for (const [code, expected] of [...REFUSED.slice(0, 1), ...REFUSED.slice(-1), [402, 'banned_temporarily'] as const]) {
      const { id } = (await api('POST', '/v1/sessions', {})).body;
      const lift = peer.fault({ kind: 'refuse-logins', code, newcomers: true, says: { expire: 60 } });
      await api('POST', `/v1/sessions/${id}/connect`);
      const shown = await until(`${code} is shown`, async () => {
        const { body } = await api('GET', `/v1/sessions/${id}`);
        return body.reason !== null && body;
      });
      assert.deepEqual([shown.status, shown.reason, shown.code, shown.pairing], ['pending', expected, code, null]);
      assert.equal(shown.until !== null, code === 402);
      lift();
      await api('POST', `/v1/sessions/${id}/connect`);
      await until('a code to scan', async () => (await api('GET', `/v1/sessions/${id}/qr`)).body.qr);
      assert.equal((await api('GET', `/v1/sessions/${id}`)).body.reason, null);
      await api('DELETE', `/v1/sessions/${id}`);
    }
    await api('POST', `${path}/logout`);
    await linkAgain();
  });

  it('does not cause a server error if the refusal code is invalid', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, until } = gateway;
    const { reason, isBack } = await aShop(gateway);
    for (const said of ['none', '7', '502']) {
      const lift = peer.fault({ kind: 'refuse-logins', code: 405, phone: SHOP, says: { reason: said }, times: 1 });
      peer.cut(SHOP);
      await until(`${said} is shown`, async () => (await reason()) === 'status_500');
      lift();
      await isBack();
    }
  });
});
