import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, type Api, aGateway, codeOn, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const BEN = '6281211110002';
const CLEO = '6281211110003';
const AGENT = '6281211119999';
const NOBODY = '6281211110004';

const overview = async (api: Api) => (await api('GET', '/v1/analytics/overview?days=7')).body;

/** Waits until a figure of the overview is that; then gives all its values. */
async function figures(gateway: Gateway, api: Api, name: string, value: number) {
  const shown = await gateway.until(`${name} is ${value}`, async () => {
    const found = await overview(api);
    return found[name].value === value ? found : null;
  });
  return Object.fromEntries(Object.entries(shown).map(([field, pair]) => [field, (pair as { value: unknown }).value]));
}

async function signedIn(gateway: Gateway, digits: string): Promise<Api> {
  await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${digits}` }));
  const { body } = await gateway.api('POST', '/auth/verify-otp', { phone: `+${digits}`, code: codeOn(gateway.sandbox, digits) });
  return gateway.as(body.token);
}

eachStore('analytics', (kind) => {
  it('show all figures to the owner, but show agents only their own figures', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { api } = acme;
    const device = await acme.linked(PHONE);
    await api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    const { body: hired } = await api('POST', '/v1/agents', { name: 'Rina', phone: `+${AGENT}` });
    const rina = await signedIn(gateway, AGENT);

    gateway.sandbox.phone(BEN).set({ online: false });
    gateway.sandbox.phone(CLEO).set({ reads: false });
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Are you open?' } });
    await figures(gateway, api, 'received', 1);
    await gateway.clock.advance(60_000);
    const first = (await rina('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Until eight' })).body.id;
    await device.text(BEN, 'to a phone that is off');
    await device.text(CLEO, 'to one that never shows it read');
    await gateway.until('Anna read it', async () => (await device.message(first)).status === 'read');
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Thanks' } });
    await figures(gateway, api, 'received', 2);
    await figures(gateway, api, 'sent', 3);
    gateway.sandbox.device(PHONE).fault({ kind: 'refuse', forMs: 60_000 });
    await device.text(NOBODY, 'refused by the network');
    await figures(gateway, api, 'failed', 1);
    await figures(gateway, api, 'read', 1);

    const found = await figures(gateway, api, 'delivered', 2);
    const log = (await api('GET', `${device.path}/messages?limit=200`)).body.messages as { direction: string; status: string }[];
    const ours = log.filter(({ direction }) => direction === 'outbound').map(({ status }) => status);
    const sent = ours.filter((status) => ['sent', 'delivered', 'read'].includes(status)).length;
    assert.deepEqual(
      [found['sent'], found['received'], found['delivered'], found['read'], found['failed']],
      [sent, 2, 2, 1, ours.filter((status) => status === 'failed').length],
    );
    assert.equal(found['delivery_rate'], Math.round((2 / sent) * 10_000) / 10_000);
    assert.equal(found['read_rate'], 0.5);
    assert.equal(found['new_contacts'], 1, 'Anna wrote');
    const waited = Number(found['median_first_reply_ms']);
    assert.ok(waited >= 60_000 && waited < 90_000, `${waited} ms`);

    const today = (await api('GET', '/v1/analytics/daily')).body.days;
    assert.equal(today.length, 7);
    assert.deepEqual([today[6].sent, today[6].received, today[0].sent], [sent, 2, 0]);
    const { hours } = (await api('GET', '/v1/analytics/hourly?days=30')).body;
    assert.deepEqual([hours.length, hours.flat().reduce((sum: number, count: number) => sum + count, 0)], [7, 2]);
    const other = (await api('POST', '/v1/sessions', { name: 'Other' })).body;
    const idsSeenWith = async (session_ids: string[] | null): Promise<string[]> => {
      const { key } = (await api('POST', '/v1/api-keys', { name: 'k', session_ids })).body;
      const { devices } = (await gateway.as(key)('GET', '/v1/analytics/devices')).body;
      return devices.map(({ id }: { id: string }) => id).toSorted();
    };
    assert.deepEqual(await idsSeenWith([other.id]), [other.id], 'a restricted key sees its own devices');
    assert.deepEqual(await idsSeenWith(null), [device.id, other.id].toSorted());
    assert.equal((await api('DELETE', `/v1/sessions/${other.id}`)).status, 200);
    const [ofDevice] = (await api('GET', '/v1/analytics/devices')).body.devices;
    assert.deepEqual([ofDevice.id, ofDevice.sent, ofDevice.received], [device.id, sent, 2]);

    const everybody = (await api('GET', '/v1/analytics/agents')).body.agents as { id: string; sent: number; received: number }[];
    assert.deepEqual(
      everybody.map(({ id, sent }) => [id === hired.id ? 'Rina' : id === acme.id ? 'owner' : id, sent]),
      [
        ['owner', sent - 1],
        ['Rina', 1],
      ],
    );
    const own = (await rina('GET', '/v1/analytics/agents')).body.agents;
    assert.deepEqual([own.length, own[0].id, own[0].reply_rate, own[0].median_first_reply_ms], [1, hired.id, 1, waited]);
    for (const other of ['overview', 'daily', 'hourly', 'devices', 'blasts'])
      assert.equal((await rina('GET', `/v1/analytics/${other}`)).status, 403, other);
    assert.equal((await api('GET', '/v1/analytics/overview?days=8')).status, 400);

    // Ben's phone comes back: the same day's messages are delivered late.
    gateway.sandbox.phone(BEN).set({ online: true });
    await figures(gateway, api, 'delivered', 3);
    gateway.sandbox.phone(CLEO).write({ to: PHONE, content: { type: 'text', body: 'STOP' } });
    await figures(gateway, api, 'opt_outs', 1);
    assert.equal((await api('GET', '/v1/analytics/devices')).body.devices[0].opt_outs, 1);
  });

  it('show the results of each campaign', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { api } = acme;
    const device = await acme.linked(PHONE);
    await api('PUT', '/v1/settings', {
      pacing: { min_delay_ms: 0, max_delay_ms: 0 },
      send_window: { enabled: false },
      warmup: { enabled: false, days: 1 },
    });
    const made = await api('POST', '/v1/blasts', {
      session_id: device.id,
      name: 'Sale',
      message_type: 'text',
      body: 'All must go',
      recipients: [{ phone: `+${ANNA}` }, { phone: `+${BEN}` }],
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await api('POST', `/v1/blasts/${made.body.id}/start`, { consent_attested: true });
    await gateway.until('it is over', async () => (await api('GET', `/v1/blasts/${made.body.id}`)).body.status === 'completed');
    gateway.sandbox.phone(BEN).write({ to: PHONE, content: { type: 'text', body: 'stop' } });
    const blasts = await gateway.until('all of it is counted', async () => {
      const { body } = await api('GET', '/v1/analytics/blasts');
      const [first] = body.blasts;
      return first?.read === 2 && first.received === 1 && first.opt_outs === 1 && body.blasts;
    });
    const { id, name, sent, received, delivered, read, failed, reply_rate, opt_outs, active_chats, median_first_reply_ms } = blasts[0];
    assert.deepEqual(
      { id, name, sent, received, delivered, read, failed, reply_rate, opt_outs, active_chats, median_first_reply_ms },
      {
        id: made.body.id,
        name: 'Sale',
        sent: 2,
        received: 1,
        delivered: 2,
        read: 2,
        failed: 0,
        reply_rate: 0.5,
        opt_outs: 1,
        active_chats: 2,
        median_first_reply_ms: null,
      },
    );
    assert.equal(blasts.length, 1);
  });
});
