import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aCampaign, textsOn } from '../../campaign/campaign-fixture.ts';
import { aConsentFixture } from '../consent/consent-fixture.ts';

const REGISTERED = '6281211110001';
const DIALLED = '6281311110001';
const jid = (digits: string): string => `${digits}@s.whatsapp.net`;

eachStore('two contacts for one person', (kind) => {
  it('are merged with all their data, including their campaigns and consent', async (t) => {
    const fixture = await aConsentFixture(t, kind);
    const { gateway, api, device, acme, write, becomes } = fixture;
    const { until, sandbox } = gateway;
    await api('PUT', '/v1/settings', { send_window: { enabled: false } });
    const contact = async (phone: string, more: object) => (await api('POST', '/v1/contacts', { phone: `+${phone}`, ...more })).body;
    const dialled = await contact(DIALLED, { name: 'Anna', tags: ['vip'], attrs: { city: 'Bandung' }, var1: 'one' });
    const registered = await contact(REGISTERED, { tags: ['new'], attrs: { size: 'L' } });
    await api('PUT', `/v1/consent/${DIALLED}`, { status: 'opted_out', note: 'called us' });
    await api('PUT', `/v1/consent/${DIALLED}`, { status: 'opted_in', note: 'called again' });
    const hook = { url: 'https://example.com/in', secret: 'a secret that only the two of us know', events: ['contact.merged'] };
    const hooked = await api('POST', '/v1/webhooks', hook);
    assert.equal(hooked.status, 201, JSON.stringify(hooked.body));
    await device.text(DIALLED, 'to the dialled number');
    await until('both are known', async () => textsOn(gateway, DIALLED).length === 1);
    sandbox.phone(REGISTERED).set({ numberForms: [DIALLED] });
    write(REGISTERED, 'from the registered number');
    await device.text(DIALLED, 'Hello');

    await until('they are one', async () => (await api('GET', `/v1/contacts/${dialled.id}`)).status === 404);
    const one = (await api('GET', `/v1/contacts/${registered.id}`)).body;
    assert.deepEqual(
      [one.phone, one.name, one.var1, one.tags.toSorted(), one.attrs],
      [REGISTERED, 'Anna', 'one', ['new', 'vip'], { city: 'Bandung', size: 'L' }],
    );
    assert.equal((await api('GET', `/v1/contacts?phone=%2B${DIALLED}`)).body.contacts[0].id, registered.id);
    assert.equal((await api('GET', `/v1/contacts?merged=${dialled.id}`)).body.contacts[0].id, registered.id);
    assert.deepEqual((await api('GET', `/v1/contacts?merged=${registered.id}`)).body.contacts, []);
    const merged = async () => {
      const { events } = (await api('GET', '/v1/events/pull')).body;
      return events.filter(({ type }: { type: string }) => type === 'contact.merged').map(({ data }: { data: object }) => data);
    };
    assert.deepEqual(await until('it is told', async () => (await merged()).length > 0 && merged()), [
      {
        contact_id: dialled.id,
        into: registered.id,
        numbers: { phones: [REGISTERED, DIALLED], lids: [] },
        chat_ids: [jid(REGISTERED), jid(DIALLED)],
      },
    ]);
    assert.equal((await api('POST', '/v1/contacts', { phone: `+${DIALLED}` })).status, 409);
    assert.deepEqual((await gateway.operator('GET', '/v1/admin/identities')).body, { contradictions: [] });
    const chats = async () => (await api('GET', '/v1/inbox')).body.chats.map(({ chat_id }: { chat_id: string }) => chat_id);
    await until('their chats are one', async () => (await chats()).length === 1);
    assert.deepEqual(await chats(), [jid(REGISTERED)]);

    const sale = { body: 'Sale', consent_attested: true };
    const run = async (): Promise<string[]> => {
      const at = await aCampaign(gateway, { api, device, token: acme.tokens.token }, [DIALLED, REGISTERED], sale);
      await api('POST', `${at}/start`);
      await until('the campaign is over', async () => (await api('GET', at)).body.status === 'completed');
      const { recipients } = (await api('GET', `${at}/recipients`)).body;
      return recipients.map(({ phone, status, error }: Record<string, string>) => `${phone} ${error ?? status}`).toSorted();
    };
    const [first, second] = await run();
    assert.match(`${first}`, new RegExp(`^${REGISTERED} duplicate$`));
    assert.match(`${second}`, new RegExp(`^${DIALLED} (sent|delivered|read)$`));
    await until('it arrived', () => textsOn(gateway, REGISTERED).includes('Sale'));

    write(REGISTERED, 'STOP');
    await becomes(REGISTERED, 'opted_out');
    const out = [`${REGISTERED} opted_out`, `${DIALLED} opted_out`];
    assert.deepEqual(await run(), out);

    const begun = await api('POST', '/v1/privacy/erasures', { phone: `+${DIALLED}`, confirm: true });
    assert.equal(begun.status, 202, JSON.stringify(begun.body));
    await until('they are erased', async () => (await api('GET', `/v1/privacy/erasures/${begun.body.id}`)).body.status === 'done');
    assert.deepEqual([(await api('GET', '/v1/contacts')).body.contacts, await chats()], [[], []]);
    assert.deepEqual(await run(), out);
  });
});
