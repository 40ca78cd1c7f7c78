import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { type Api, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const SECOND = 1_000;

eachStore('linking a phone', (kind) => {
  it('shows one valid code after another, and stops after the last one', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, path } = await aNewDevice(gateway);
    assert.equal((await api('GET', `${path}/qr`)).status, 409);

    assert.equal((await api('POST', `${path}/connect`)).body.status, 'pending');
    const first = await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr);
    const shown = (await api('GET', path)).body;
    assert.equal(shown.status, 'qr_ready');
    assert.deepEqual(shown.pairing, { step: 'qr' });

    await gateway.clock.advance(60 * SECOND);
    const second = await gateway.until('another code', async () => (await api('GET', `${path}/qr`)).body.qr);
    assert.notEqual(second, first);
    assert.throws(() => gateway.sandbox.phone(PHONE).scan({ qr: first }), { code: 'CONFLICT' });

    await gateway.clock.advance(120 * SECOND);
    await gateway.until('the codes ran out', async () => (await api('GET', path)).body.status === 'pending');
    assert.equal((await api('GET', `${path}/qr`)).body.code, 'CONFLICT');
  });

  it('returns the code as an image if the caller requests one', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, path } = await aNewDevice(gateway);
    await api('POST', `${path}/connect`);
    await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr);
    const drawn = async (query: string, accept = '*/*') => {
      const { headers, body } = await api('GET', `${path}/qr${query}`, undefined, { accept });
      return [headers.get('content-type')?.split(';')[0], String(body).slice(0, 4)];
    };
    const png = ['image/png', '\ufffdPNG'];
    assert.deepEqual(await drawn('', 'image/png'), png);
    assert.deepEqual(await drawn('?format=png'), png);
    assert.deepEqual(await drawn('?format=svg', 'image/png'), ['image/svg+xml', '<svg']);
    assert.deepEqual(await drawn('?format=text'), ['text/plain', '████']);
    assert.equal((await api('GET', `${path}/qr?format=gif`)).body.details[0].message, 'format must be one of: png, svg, text');
  });

  it("reads the number's about text, whether it is set, empty or hidden", async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { devices: 3 } }) } });
    const { api } = await gateway.signUp();
    const abouts = [];
    for (const [own, about] of [
      ['6281100000011', 'Open from 9 to 5'],
      ['6281100000012', ''],
      ['6281100000013', null],
    ] as const) {
      if (about !== '') gateway.sandbox.phone(own).set({ about });
      const { id } = (await api('POST', '/v1/sessions', {})).body;
      await api('POST', `/v1/sessions/${id}/connect`);
      const { qr } = await gateway.until('a code', async () => {
        const shown = await api('GET', `/v1/sessions/${id}/qr`);
        return shown.status === 200 && shown.body;
      });
      gateway.sandbox.phone(own).scan({ qr });
      const linked = await gateway.until('it is online', async () => {
        const { body } = await api('GET', `/v1/sessions/${id}`);
        return body.status === 'connected' && body;
      });
      abouts.push(linked.wa_about);
    }
    assert.deepEqual(abouts, ['Open from 9 to 5', '', null]);
  });

  it('works with a pairing code that is typed on the phone', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, path } = await aNewDevice(gateway);
    const answer = await gateway.during(api('POST', `${path}/pairing-code`, { phone: `+${PHONE}` }));
    assert.equal(answer.status, 200);
    assert.ok(answer.body.expires_at > gateway.clock.now());
    assert.deepEqual((await api('GET', path)).body.pairing, { step: 'code' });

    gateway.sandbox.phone(PHONE).scan({ pairingCode: answer.body.code });
    const linked = await gateway.until('it is online', async () => {
      const { body } = await api('GET', path);
      return body.status === 'connected' && body;
    });
    assert.equal(linked.phone_number, PHONE);
    assert.equal(linked.phone_country, 'ID');
    assert.equal(linked.phone_country_code, '+62');
    assert.equal(linked.pairing, null);
    assert.equal((await api('POST', `${path}/pairing-code`, { phone: `+${PHONE}` })).body.code, 'CONFLICT');
  });

  it('is undone by a logout, by unlinking the device on the phone, or by deleting the device', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    assert.equal((await gateway.during(acme.api('POST', `${device.path}/logout`))).body.status, 'failed');
    assert.equal(gateway.sandbox.journal.of('unlinked').length, 1);

    await acme.api('POST', `${device.path}/connect`);
    const qr = await gateway.until('a code', async () => (await acme.api('GET', `${device.path}/qr`)).body.qr);
    gateway.sandbox.phone(PHONE).scan({ qr });
    await gateway.until('it is online again', async () => (await device.status()) === 'connected');

    gateway.sandbox.device(PHONE).fault({ kind: 'logout' });
    await gateway.until('it failed', async () => (await device.status()) === 'failed');
    assert.equal((await acme.api('GET', `${device.path}/health`)).body.reason, 'logged_out');

    const second = await acme.linked('6281100000002');
    await gateway.during(acme.api('DELETE', second.path));
    assert.equal((await acme.api('GET', second.path)).status, 404);
    await gateway.until('the phone learned of it', () =>
      gateway.sandbox.journal.of('unlinked').some(({ phone }) => phone === '6281100000002'),
    );
  });
});

async function aNewDevice(gateway: Gateway): Promise<{ api: Api; path: string }> {
  const { api } = await gateway.signUp();
  const { body } = await api('POST', '/v1/sessions', { name: 'Front desk' });
  return { api, path: `/v1/sessions/${body.id}` };
}
