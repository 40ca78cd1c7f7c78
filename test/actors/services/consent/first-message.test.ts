import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, type Scope } from '../../../support/stores.ts';
import { aCampaign, textsOn } from '../../campaign/campaign-fixture.ts';
import { aConsentFixture } from './consent-fixture.ts';

const MINUTE = 60_000;
/** A number under which the network knows nobody, and no twin of it. */
const DIALLED = '6281311110001';

/** How people opted out, and the number that is dialled for them afterwards; the network has named no pair of addresses of theirs. */
const PEOPLE = {
  'opted out under a hidden address': { dialled: ANNA, makes: { lid: true, tellsNumber: false } },
  'opted out under an unrelated form of the number': { dialled: DIALLED, makes: { numberForms: [DIALLED] } },
} as const;

eachStore('the first message to another number of an opted-out person', (kind) => {
  for (const [how, { dialled, makes }] of Object.entries(PEOPLE)) {
    const someone = async (t: Scope) => {
      const fixture = await aConsentFixture(t, kind);
      const { gateway, api, device, write } = fixture;
      await api('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
      gateway.sandbox.phone(ANNA).set(makes);
      write(ANNA, 'STOP');
      await gateway.until('they are opted out', async () => (await api('GET', '/v1/consent?status=opted_out')).body.consent.length === 1);
      await gateway.until('that is confirmed', async () => textsOn(gateway, ANNA).length === 1);
      const used = async () => (await api('GET', '/v1/billing')).body.quota.used;
      return { ...fixture, path: device.path, used, before: await used() };
    };
    /** Nothing but the confirmation arrived, and nothing more was paid for. */
    const nothingWent = async ({ gateway, used, before }: Awaited<ReturnType<typeof someone>>) => {
      await gateway.until('the quota is back', async () => (await used()) === before);
      assert.equal(textsOn(gateway, ANNA).length, 1);
    };

    it(`is blocked in a campaign, even after an import with opt_in: ${how}`, async (t) => {
      const scene = await someone(t);
      const { gateway, api, acme, device } = scene;
      await api('POST', '/v1/contacts/import', { rows: [{ phone: `+${dialled}`, name: 'Anna' }], opt_in: true });
      await gateway.until('they are imported', async () => (await api('GET', '/v1/contacts')).body.contacts.length > 0);
      const at = await aCampaign(gateway, { api, device, token: acme.tokens.token }, [dialled], { body: 'Sale', consent_attested: true });
      await api('POST', `${at}/start`);
      await gateway.until('it is over', async () => (await api('GET', at)).body.status === 'completed');
      const [recipient] = (await api('GET', `${at}/recipients`)).body.recipients;
      assert.deepEqual([recipient.status, recipient.error], ['skipped', 'opted_out']);
      await nothingWent(scene);
    });

    it(`is blocked as a recurring message: ${how}`, async (t) => {
      const scene = await someone(t);
      const { gateway, api, path } = scene;
      const daily = { schedule_type: 'daily', schedule_config: { hour: 8, minute: 30 } };
      const made = await api('POST', `${path}/recurring`, { name: 'Offer', targets: [`+${dialled}`], message: 'Sale', ...daily });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      gateway.clock.jump(made.body.next_run_at - MINUTE - gateway.clock.now());
      await gateway.clock.advance(2 * MINUTE);
      await nothingWent(scene);
      const [failed, ...others] = (await api('GET', `${path}/messages?status=failed`)).body.messages;
      assert.deepEqual(others, []);
      assert.equal((await api('GET', `${path}/messages/${failed.id}`)).body.error, 'opted_out');
    });

    it(`is blocked as a single message if consent is enforced: ${how}`, async (t) => {
      const scene = await someone(t);
      const { gateway, api, path } = scene;
      await api('PUT', '/v1/consent/config', { enforce_api: true });
      const { id, ...sent } = (await api('POST', `${path}/messages`, { chat_id: `+${dialled}`, type: 'text', body: 'Hi' })).body;
      assert.equal(sent.status, 'queued');
      const message = () => api('GET', `${path}/messages/${id}`);
      await gateway.until('it is refused', async () => (await message()).body.status === 'failed');
      assert.equal((await message()).body.error, 'opted_out');
      await nothingWent(scene);
      const again = await api('POST', `${path}/messages`, { chat_id: `+${dialled}`, type: 'text', body: 'Hi' });
      assert.deepEqual([again.status, again.body.code], [409, 'RECIPIENT_OPTED_OUT']);
    });

    it(`is blocked as a scheduled message if consent is enforced: ${how}`, async (t) => {
      const scene = await someone(t);
      const { gateway, api, path } = scene;
      await api('PUT', '/v1/consent/config', { enforce_api: true });
      const due = { chat_id: `+${dialled}`, type: 'text', body: 'Hi', scheduled_at: gateway.clock.now() + 2 * MINUTE };
      const { id } = (await api('POST', `${path}/scheduled`, due)).body;
      await gateway.clock.advance(3 * MINUTE);
      const scheduled = async () => (await api('GET', `${path}/scheduled/${id}`)).body;
      await gateway.until('it is refused', async () => (await scheduled()).status === 'failed');
      assert.equal((await scheduled()).error, 'opted_out');
      await nothingWent(scene);
    });

    it(`is sent if consent is not enforced: ${how}`, async (t) => {
      const { gateway, device } = await someone(t);
      await device.text(dialled, 'Your order');
      await gateway.until('it arrives', () => textsOn(gateway, ANNA).includes('Your order'));
    });
  }
});
