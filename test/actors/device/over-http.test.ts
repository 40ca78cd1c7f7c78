import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runtimeRefusal } from '../../../runtime/errors.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import { ANNA, aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('the HTTP API of a device', (kind) => {
  it('returns the whole log in pages, including messages with equal times, and marks the last page', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const path = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
    const ids: string[] = [];
    // Time stands still, so all six were written in the same millisecond.
    for (const body of ['1', '2', '3', '4', '5', '6'])
      ids.push((await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body, connect_only: false })).body.id);

    const pages: string[][] = [];
    let cursor = '';
    do {
      const { body } = await api('GET', `${path}/messages?limit=3${cursor}`);
      pages.push(body.messages.map(({ id }: { id: string }) => id));
      cursor = body.next_before === null ? '' : `&before=${body.next_before}&before_id=${body.next_before_id}`;
      assert.equal(body.next_before === null, body.next_before_id === null);
    } while (cursor);
    assert.deepEqual(pages, [ids.slice(3).toReversed(), ids.slice(0, 3).toReversed()]);
  });

  it('rejects a number that cannot belong to its country_code, with a reason in the requested language', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const path = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}/messages`;
    const send = (body: object, headers = {}) => api('POST', path, { type: 'text', body: 'x', connect_only: false, ...body }, headers);
    for (const country_code of ['9999', '031', '0044'])
      assert.equal((await send({ chat_id: '0612345678', country_code })).body.code, 'INVALID_NUMBER');
    assert.equal((await send({ chat_id: '0612345678', country_code: '31' })).status, 202);
    const refused = await send({ chat_id: ANNA, connect_only: true }, { 'x-lang': 'id' });
    assert.deepEqual(refused.body, { error: 'Tidak dapat dilakukan pada status saat ini: perangkat tidak terhubung', code: 'CONFLICT' });
  });

  it('rejects a new or changed proxy with a private address', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const { id } = (await api('POST', '/v1/sessions', { proxy_url: 'socks5://user:pw@93.184.215.14:1080' })).body;
    for (const proxy_url of [
      'http://127.0.0.1:3128',
      'socks5://10.0.0.1',
      'https://u:p@[fd00::1]:8443',
      'http://localhost:1',
      'http://0x7f.1',
    ]) {
      const created = await api('POST', '/v1/sessions', { proxy_url });
      const changed = await api('PATCH', `/v1/sessions/${id}`, { proxy_url });
      assert.deepEqual([created.body.code, changed.body.code], ['URL_BLOCKED', 'URL_BLOCKED'], proxy_url);
    }
    // Agents and keys that only read see devices, too: the password is for the proxy alone.
    assert.equal((await api('GET', `/v1/sessions/${id}`)).body.proxy_url, 'socks5://user@93.184.215.14:1080');
  });

  it('applies stored settings after a restart, even if the device was not notified of them', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const group = gateway.sandbox.createGroup([ANNA, PHONE]);
    const writes = (to: string, body: string) => gateway.sandbox.phone(ANNA).write({ to, content: { type: 'text', body } });
    const received = async (): Promise<readonly string[]> =>
      (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages.map(({ body }: { body: string }) => body);
    await devicesIn(gateway.store).change(acme.id, device.id, { ignore: { groups: true } });
    await gateway.during(acme.api('POST', `${device.path}/restart`));
    await gateway.until('it is connected again', async () => (await device.status()) === 'connected');
    writes(group, 'to all');
    writes(PHONE, 'to the shop');
    await gateway.until('what came is stored', async () => (await received()).includes('to the shop'));
    assert.deepEqual(await received(), ['to the shop']);
  });

  it("stores new settings and responds, even if the device's mailbox is full", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const path = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
    t.mock.method(gateway.node.actors, 'ref', () => ({
      tell: () => {
        throw runtimeRefusal('OVERLOADED');
      },
    }));
    const { status, body } = await api('PATCH', path, { ignore: { groups: true } });
    assert.deepEqual([status, body.ignore.groups], [200, true]);
  });

  it('keeps both changes if two requests change different fields at the same time', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const path = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
    const changes = [{ ignore: { groups: true } }, { ignore: { channels: true } }, { name: 'Counter' }, { proxy_url: 'http://proxy:1' }];
    await Promise.all(changes.map((change) => api('PATCH', path, change)));
    const { ignore, name, proxy_url } = (await api('GET', path)).body;
    assert.deepEqual(
      { ignore, name, proxy_url },
      { ignore: { groups: true, channels: true }, name: 'Counter', proxy_url: 'http://proxy:1' },
    );
  });
});
