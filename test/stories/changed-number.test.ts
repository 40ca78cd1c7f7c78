import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../actors/network/sandbox/addresses.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { aCampaign } from '../actors/campaign/campaign-fixture.ts';
import { aConsentFixture } from '../actors/services/consent/consent-fixture.ts';
import { ANNA, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

const NEW = '6281311110009';
const CARL = '6281211110005';

it('a person who changes numbers keeps the same opt-out, chat and contact', async (t) => {
  const { gateway, api, acme, device, write, becomes, of } = await aConsentFixture(t, embedded);
  const { until } = gateway;
  const acts = sandboxVerbs(gateway.sandbox).act;
  await api('PUT', '/v1/settings', { send_window: { enabled: false } });
  write(ANNA, 'STOP');
  await becomes(ANNA, 'opted_out');
  const [contact] = await until('she is a contact', async () => {
    const { contacts } = (await api('GET', '/v1/contacts')).body;
    return contacts.length === 1 && contacts;
  });
  assert.throws(() => acts(PHONE, { act: 'change_number', to: NEW }), /CONFLICT/, 'a device is linked to it');
  assert.throws(() => acts(ANNA, { act: 'change_number', to: PHONE }), /CONFLICT/, 'a device has it');
  acts(ANNA, { act: 'change_number', to: `+${NEW}` });
  await until('her contact has it', async () => (await api('GET', `/v1/contacts/${contact.id}`)).body.phone === NEW);
  assert.equal((await of(NEW)).current.status, 'opted_out');
  const sale = await aCampaign(gateway, { api, device, token: acme.tokens.token }, [NEW], { consent_attested: true });
  await api('POST', `${sale}/start`);
  await until('the campaign is over', async () => (await api('GET', sale)).body.status === 'completed');
  assert.equal((await api('GET', `${sale}/recipients`)).body.recipients[0].error, 'opted_out');
  write(NEW, 'Hello again');
  const chats = async () => (await api('GET', '/v1/inbox')).body.chats;
  await until('it is there', async () => (await chats())[0].last_message === 'Hello again');
  assert.deepEqual(
    (await chats()).map(({ chat_id }: { readonly chat_id: string }) => chat_id),
    [`${NEW}@s.whatsapp.net`],
  );
});

it('a person who reveals their number keeps the same contact and opt-out', async (t) => {
  const { gateway, api, acme, device, write, becomes, of } = await aConsentFixture(t, embedded);
  const acts = sandboxVerbs(gateway.sandbox).act;
  const outOf = async (phone: string) => (await of(phone)).current?.status;
  gateway.sandbox.phone(CARL).set({ lid: true, tellsNumber: false });
  assert.throws(() => acts(CARL, { act: 'share_number', to: PHONE }), /CONFLICT/, 'nothing to share yet');
  write(CARL, 'STOP');
  await gateway.until('it is there', async () => (await api('GET', '/v1/inbox')).body.chats.length === 1);
  const phones = async () => (await api('GET', '/v1/contacts')).body.contacts.map(({ phone }: { phone: string | null }) => phone);
  assert.deepEqual(await phones(), [null]);
  acts(CARL, { act: 'share_number', to: PHONE });
  await becomes(CARL, 'opted_out');
  await gateway.until('the contact has the number', async () => (await phones())[0] === CARL);
  assert.deepEqual(await phones(), [CARL]);
  const { lid, current } = (await api('GET', `/v1/consent/history/${CARL}`)).body;
  assert.deepEqual([lid, current.lid, current.phone], [lidOf(CARL), lidOf(CARL), CARL]);

  const texts = async (): Promise<[string, string][]> =>
    (await api('GET', '/v1/inbox')).body.chats.map(({ phone, last_message }: Record<string, string>) => [phone, last_message]);
  // The answer to his STOP is older than what he writes next. Ids of messages have no earlier time than those of the story above.
  await gateway.clock.advance(60_000);

  // The network names Anna's number for his hidden address, and when asked gives that address for both.
  write(ANNA, 'Hello');
  sandboxVerbs(gateway.sandbox).change(CARL, { tells_number: true, told_number: `+${ANNA}` });
  write(CARL, 'This is Carl');
  const contradictions = async () => (await gateway.operator('GET', '/v1/admin/identities')).body.contradictions;
  const [found] = await gateway.until('it is listed', async () => (await contradictions()).length > 0 && contradictions());
  assert.deepEqual([found.tenant_id, found.lid, found.numbers], [acme.id, lidOf(CARL), [CARL, ANNA]]);
  await gateway.until('his text is there', async () => (await texts()).some(([, text]) => text === 'This is Carl'));
  assert.deepEqual(
    (await texts()).toSorted(),
    [
      [CARL, 'This is Carl'],
      [ANNA, 'Hello'],
    ].toSorted(),
  );
  assert.deepEqual([(await api('GET', '/v1/contacts')).body.contacts.length, await outOf(ANNA)], [2, undefined]);
  sandboxVerbs(gateway.sandbox).change(CARL, { told_number: null });
  await device.text(CARL, 'Hello Carl');
  await gateway.until('the network named one of them', async () => (await contradictions()).length === 0);
});
