import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConsentService } from '../../../../actors/services/consent/consent-service.ts';
import { blankContact } from '../../../../actors/services/contacts/contacts.ts';
import { mergeContacts } from '../../../../actors/services/contacts/merge-contacts.ts';
import { splitContact } from '../../../../actors/services/contacts/split-contact.ts';
import { createFormsOf } from '../../../../actors/services/identities/forms.ts';
import { createIdentityResolver } from '../../../../actors/services/identities/identities.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { contactMergesIn } from '../../../../store/contacts/contact-merges.ts';
import { type ContactRow, contactsIn } from '../../../../store/contacts/contacts.ts';
import { chatMovesIn } from '../../../../store/conversations/chat-merges.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { holdsIn } from '../../../../store/privacy/holds.ts';
import { testConsentsIn } from '../../../support/consents.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aCampaign, textsOn } from '../../campaign/campaign-fixture.ts';
import { aConsentFixture } from '../consent/consent-fixture.ts';

const REGISTERED = '6281211110001';
const DIALLED = '6281311110001';
const jid = (digits: string): string => `${digits}@s.whatsapp.net`;
const TENANT = 'acme';

eachStore('a split contact', (kind) => {
  it('becomes two people with the same opt-out and hold, until the network reports that they are one person', async (t) => {
    const { gateway, api, acme, device, write, becomes, of } = await aConsentFixture(t, kind);
    const { until, sandbox, clock } = gateway;
    await api('PUT', '/v1/settings', { send_window: { enabled: false } });
    const contact = async (phone: string, more: object) => (await api('POST', '/v1/contacts', { phone: `+${phone}`, ...more })).body;
    const dialled = await contact(DIALLED, { name: 'Anna', tags: ['vip'], attrs: { city: 'Bandung' } });
    const registered = await contact(REGISTERED, { name: 'Budi' });
    await api('PUT', `/v1/privacy/holds/%2B${DIALLED}`, { reason: 'a claim', until: clock.now() + 86_400_000 });
    const at = `/v1/contacts/${registered.id}/split`;
    const numbers = [`+${DIALLED}`];
    const strange = await api('POST', at, { numbers });
    assert.deepEqual([strange.status, strange.body.details[0].path], [400, 'numbers']);

    sandbox.phone(REGISTERED).set({ numberForms: [DIALLED] });
    write(REGISTERED, 'from the registered number');
    await device.text(DIALLED, 'Hello');
    await until('they are one', async () => (await api('GET', `/v1/contacts/${dialled.id}`)).status === 404);
    write(REGISTERED, 'STOP');
    await becomes(REGISTERED, 'opted_out');

    for (const wrong of [[`+${REGISTERED}`], ['+6281399990000']])
      assert.equal((await api('POST', at, { numbers: wrong })).body.code, 'VALIDATION_FAILED');
    const { status, body } = await api('POST', at, { numbers });
    assert.deepEqual([status, body.phone, body.name, body.tags, body.attrs], [201, DIALLED, 'Anna', ['vip'], { city: 'Bandung' }]);
    const { entries } = (await api('GET', '/v1/audit?limit=1')).body;
    assert.deepEqual([entries[0].action, entries[0].result, entries[0].target.id], ['contact.split', 'ok', registered.id]);
    assert.deepEqual((await api('POST', at, { numbers })).body, body);
    assert.equal((await api('GET', `/v1/contacts?merged=${dialled.id}`)).body.contacts[0].id, body.id);
    assert.equal((await api('GET', `/v1/contacts?phone=%2B${DIALLED}`)).body.contacts[0].id, body.id);
    for (const subject of [DIALLED, REGISTERED]) {
      assert.equal((await of(subject)).current.status, 'opted_out');
      const erasure = await api('POST', '/v1/privacy/erasures', { phone: `+${subject}`, confirm: true });
      assert.equal(erasure.body.code, 'CONFLICT', 'the hold stands');
    }
    await api('PUT', `/v1/consent/%2B${REGISTERED}`, { status: 'opted_in' });
    assert.equal((await of(DIALLED)).current.status, 'opted_out');
    const sale = await aCampaign(gateway, { api, device, token: acme.tokens.token }, [DIALLED], { consent_attested: true });
    await api('POST', `${sale}/start`);
    await until('the campaign is over', async () => (await api('GET', sale)).body.status === 'completed');
    assert.equal((await api('GET', `${sale}/recipients`)).body.recipients[0].error, 'opted_out');

    sandbox.phone(REGISTERED).set({ numberForms: [] });
    assert.equal((await device.message(await device.text(DIALLED, 'Hi Anna'))).chat_id, jid(DIALLED));
    write(DIALLED, 'This is Anna');
    const chats = async () => (await api('GET', '/v1/inbox')).body.chats.map(({ chat_id }: { chat_id: string }) => chat_id);
    await until('her chat is her own', async () => (await chats()).length === 2);
    await until('it arrived', () => textsOn(gateway, DIALLED).includes('Hi Anna'));

    const other = await acme.linked('6281100009999');
    sandbox.phone(REGISTERED).set({ numberForms: [DIALLED] });
    await other.text(DIALLED, 'Hello');
    await until('they are one again', async () => (await api('GET', `/v1/contacts/${body.id}`)).status === 404);
    assert.equal((await of(REGISTERED)).current.status, 'opted_out');
  });
});

/** Everything of a process that splits contacts, over this store. */
function processOver(store: Store) {
  const clock = new VirtualClock();
  const nothing = async (): Promise<void> => {};
  const consents = testConsentsIn(store);
  const identities = identitiesIn(store);
  const parts = { chats: chatsIn(store), messages: messagesIn(store), moves: chatMovesIn(store), devices: devicesIn(store) };
  return {
    clock,
    consents,
    identities,
    contacts: contactsIn(store),
    merges: contactMergesIn(store),
    holds: holdsIn(store),
    hashOf: (_tenantId: string, phone: string) => `hash of ${phone}`,
    people: createIdentityResolver({ ...parts, identities, clock }),
    consentService: createConsentService({
      consents,
      eventLog: { record: nothing },
      cancelMarketing: nothing,
      complained: nothing,
      confirm: nothing,
    }),
  };
}

async function twoInOne(scope: Scope, kind: StoreKind, from: string, to: string) {
  const store = await kind.fresh(scope);
  const first = processOver(store);
  await store.prepare();
  const now = first.clock.now();
  const said = { username: null, source: 'usync', at: now } as const;
  await first.people.learn(TENANT, { ...said, address: jid(from), phone: to });
  await first.contacts.addMany([{ ...blankContact(TENANT, from, now), name: 'Anna' }, blankContact(TENANT, to, now)]);
  const merged = (former: ContactRow, into: ContactRow) => first.merges.note(TENANT, former, into._id, now);
  await mergeContacts({ ...first, merged }, { tenantId: TENANT, from, to }, now);
  await first.consentService.set(TENANT, to, { status: 'opted_out', source: 'keyword', note: null, at: now });
  await first.holds.put(TENANT, `hash of ${from}`, { reason: 'a claim', until: now + 1e9 }, now);
  const [contact] = await first.contacts.byPhones(TENANT, [to]);
  assert.ok(contact && contact.name === 'Anna');
  return { store, first, contact, now, said };
}

eachStore('a contact split', (kind) => {
  it('keeps the opt-out and the hold after a crash at any write, and can be repeated', async (t) => {
    let deaths = 0;
    for (const isMade of [false, true])
      for (let write = 1; ; write += 1) {
        const { store, first, contact, now } = await twoInOne(t, kind, DIALLED, REGISTERED);
        const mortal = mortalStore(store, { write, isMade });
        await splitContact(processOver(mortal.store), contact, [DIALLED], now).catch(() => {});
        if (!mortal.isDead()) break;
        deaths += 1;
        const isApart = !(await first.identities.phonesOf(TENANT, [jid(DIALLED)])).has(jid(DIALLED));
        const keeps = async (): Promise<boolean> => {
          const status = (await first.consents.find(TENANT, DIALLED))?.status;
          const holds = await Promise.all([DIALLED, REGISTERED].map((one) => first.holds.of(TENANT, `hash of ${one}`, now)));
          return status === 'opted_out' && holds.every((hold) => hold !== null);
        };
        assert.ok(!isApart || (await keeps()), `after write ${write}`);
        const made = await splitContact(processOver(store), contact, [DIALLED], now);
        assert.deepEqual([made.phone, made.name, await keeps()], [DIALLED, 'Anna', true]);
        assert.equal((await first.contacts.byPhones(TENANT, [DIALLED, REGISTERED])).length, 2);
      }
    assert.ok(deaths >= 10, `${deaths} deaths`);
  });
});

eachStore('two numbers split from one contact', (kind) => {
  it('stay separate despite earlier reports from the network, even if both are spellings of one number', async (t) => {
    const [nine, eight] = ['5511987654321', '551187654321'];
    const { first, contact, now, said, store } = await twoInOne(t, kind, eight, nine);
    const { people, identities, clock } = first;
    const standing = async (digits: string) => people.resolve(TENANT, jid(digits));
    assert.equal(await standing(eight), jid(nine));
    await clock.advance(10);
    await splitContact(first, contact, [eight], now);
    for (const at of [now, clock.now()]) {
      await people.learn(TENANT, { ...said, address: jid(eight), phone: nine, at });
      const elsewhere = processOver(store).people;
      for (const chat of [eight, nine].map(jid)) {
        assert.equal((await people.place(TENANT, { chat, from: chat })).chat, chat);
        assert.equal((await elsewhere.place(TENANT, { chat, from: chat })).chat, chat);
      }
    }
    assert.deepEqual((await createFormsOf(identities)(TENANT, [eight, nine])).size, 0);
    await people.learn(TENANT, { ...said, address: jid(eight), phone: nine, at: clock.now() + 1 });
    assert.equal(await standing(eight), jid(nine));
  });
});
