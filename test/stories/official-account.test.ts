import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../support/gateway.ts';
import { anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

const BUDI = '6281211110002';

eachStore('the account of an official number', (kind) => {
  it('shows and changes the business profile, and names what the platform does not offer', async (t) => {
    const { gateway, acme, path } = await anOfficialShop(t, kind);
    // The gateway makes at most one such call a second.
    const api: typeof acme.api = (...call) => gateway.during(acme.api(...call));
    const { body: can } = await api('GET', `${path}/capabilities`);
    assert.deepEqual(
      [can.account, can.business, can.blocklist, can.groups.available, can.people.available],
      [true, true, true, false, false],
    );
    const empty = { address: null, description: null, email: null, websites: [], categories: [], category_names: [], hours: null };
    assert.deepEqual((await api('GET', `${path}/business-profile`)).body, empty);
    const given = { address: 'Jalan Merdeka 1', description: 'Batik', email: 'shop@acme.example', websites: ['https://acme.example'] };
    const changed = await api('PATCH', `${path}/business-profile`, given);
    assert.deepEqual([changed.status, changed.body], [200, { ...empty, ...given }]);
    const cleared = await api('PATCH', `${path}/business-profile`, { address: null, websites: [] });
    assert.deepEqual(cleared.body, { ...empty, description: 'Batik', email: 'shop@acme.example' });
    const hours = { timezone: 'Asia/Jakarta', days: [] };
    for (const body of [{ hours }, { categories: ['1223524174334504'] }])
      assert.deepEqual((await api('PATCH', `${path}/business-profile`, body)).body.code, 'VALIDATION_FAILED');
    const account = await api('PATCH', `${path}/account`, { about: 'Open until six' });
    assert.deepEqual(account.body, { name: `Business ${NUMBER.slice(-4)}`, about: 'Open until six' });
    assert.equal((await api('PATCH', `${path}/account`, { name: 'Other' })).status, 400);
    assert.equal((await api('GET', `${path}/account/privacy`)).status, 404);
  });

  it('blocks only people who wrote in the last day, until they are unblocked', async (t) => {
    const { gateway, acme, path, verbs, inbound } = await anOfficialShop(t, kind);
    const api: typeof acme.api = (...call) => gateway.during(acme.api(...call));
    verbs.write(ANNA, { to: NUMBER, body: 'Hi' });
    await gateway.until('it came', async () => (await inbound()).length === 1);
    const stranger = await api('POST', `${path}/blocklist`, { phone: `+${BUDI}` });
    assert.deepEqual([stranger.status, stranger.body.code], [409, 'CONFLICT']);
    const blocked = await api('POST', `${path}/blocklist`, { phone: `+${ANNA}` });
    assert.deepEqual([blocked.status, blocked.body.phone], [201, ANNA]);
    const phones = async () => (await api('GET', `${path}/blocklist`)).body.blocklist.map(({ phone }: { phone: string }) => phone);
    assert.deepEqual(await phones(), [ANNA]);
    verbs.write(ANNA, { to: NUMBER, body: 'Unheard' });
    assert.equal((await api('DELETE', `${path}/blocklist/${ANNA}`)).status, 200);
    assert.deepEqual(await phones(), []);
    verbs.write(ANNA, { to: NUMBER, body: 'Heard' });
    const came = await gateway.until('the next one came', async () => (await inbound()).length === 2 && inbound());
    assert.deepEqual(came.map(({ body }: { body: string }) => body).sort(), ['Heard', 'Hi']);
  });
});
