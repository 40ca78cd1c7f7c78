import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Api } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';
import { aRealGateway, type RealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';

/** People whom the network knows by another number than the one that is dialled. */
const PEOPLE = {
  Brazil: { dialled: '5548999998888', registered: '554899998888' },
  Mexico: { dialled: '525512345678', registered: '5215512345678' },
  Argentina: { dialled: '541123456789', registered: '5491123456789' },
  'the Ivory Coast': { dialled: '2250707123456', registered: '22507123456' },
} as const;

/** What the network tells of the devices of a dialled number. */
const ANSWERS = {
  'the dialled number': 'dialled',
  'the registered number': 'registered',
  'the registered number only for contact queries': null,
} as const;

interface Scene {
  readonly gateway: RealGateway;
  readonly api: Api;
  readonly path: string;
}

const jid = (digits: string): string => `${digits}@s.whatsapp.net`;

/** The reasons why nobody got a campaign. */
async function skipped({ gateway, api, path }: Scene, phones: readonly string[]): Promise<readonly string[]> {
  const draft = await api('POST', '/v1/blasts', {
    name: 'Sale',
    session_id: path.split('/').at(-1),
    message_type: 'text',
    body: 'Half price',
    consent_attested: true,
    recipients: phones.map((phone) => ({ phone: `+${phone}` })),
  });
  assert.equal(draft.status, 201, JSON.stringify(draft.body));
  const at = `/v1/blasts/${draft.body.id}`;
  const started = await api('POST', `${at}/start`);
  assert.equal(started.status, 200, JSON.stringify(started.body));
  await gateway.until('the campaign is over', async () => (await api('GET', at)).body.status === 'completed');
  const { recipients } = (await api('GET', `${at}/recipients`)).body;
  return recipients.map(({ status, error }: { status: string; error: string }) => `${status} ${error}`);
}

describe('a person whose registered number differs from the one dialled', () => {
  for (const [how, answers] of Object.entries(ANSWERS))
    it(`remains one person with one chat if the network returns ${how}`, async (t) => {
      const gateway = await aRealGateway(t, embedded);
      const api = gateway.as(await gateway.signUp(OWNER));
      const path = await gateway.linked(api, SHOP);
      const scene = { gateway, api, path };
      await api('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
      for (const [country, { dialled, registered }] of Object.entries(PEOPLE)) {
        const person = gateway.peer.contact(registered);
        person.isDialledAs(dialled, answers);
        const contact = (await api('POST', '/v1/contacts', { phone: `+${dialled}`, name: country, tags: ['vip'] })).body;
        await person.is({ tellsNumber: false });
        const sent = (await api('POST', `${path}/messages`, { chat_id: `+${dialled}`, type: 'text', body: 'Hello' })).body;
        await gateway.until('it is read', async () => (await api('GET', `${path}/messages/${sent.id}`)).body.status === 'read');
        await person.writes(SHOP, 'Yes?');
        const chats = async () => (await api('GET', '/v1/inbox')).body.chats.filter(isOf(dialled, registered));
        await gateway.until('the answer is in the inbox', async () =>
          (await chats()).some(({ last_message }: Chat) => last_message === 'Yes?'),
        );
        assert.equal((await chats()).length, 1, `${country}: one chat`);
        for (const form of [dialled, registered]) {
          const { messages } = (await api('GET', `${path}/chats/${jid(form)}/messages`)).body;
          assert.deepEqual(
            messages.map(({ body }: { body: string }) => body),
            ['Yes?', 'Hello'],
          );
          const { contacts } = (await api('GET', `/v1/contacts?phone=%2B${form}`)).body;
          assert.deepEqual(
            contacts.map(({ id, name, tags }: Contact) => ({ id, name, tags })),
            [{ id: contact.id, name: country, tags: ['vip'] }],
            country,
          );
        }

        await person.writes(SHOP, 'STOP');
        const status = async (phone: string) => (await api('GET', `/v1/consent/history/${jid(phone)}`)).body.current?.status;
        await gateway.until('the opt-out is known', async () => (await status(registered)) === 'opted_out');
        assert.equal(await status(dialled), 'opted_out');
        const { warnings } = (await api('POST', `${path}/messages`, { chat_id: `+${dialled}`, type: 'text', body: 'Your order' })).body;
        assert.deepEqual(
          warnings.map(({ code }: { code: string }) => code),
          ['RECIPIENT_OPTED_OUT'],
        );
        assert.deepEqual(await skipped(scene, [dialled]), ['skipped opted_out'], country);
        const { results } = (await api('POST', `${path}/validate`, { phones: [`+${dialled}`] })).body;
        assert.deepEqual(results, [{ input: `+${dialled}`, phone: registered, exists: true, jid: jid(registered) }]);
      }
      assert.deepEqual(gateway.peer.ledger.violations, []);
      assert.deepEqual(gateway.peer.journal.events('unreadable'), []);
    });
});

describe('a person who replies from a hidden address', () => {
  it('has one chat, and stops campaigns to the number by sending STOP', async (t) => {
    const anna = '6281100000002';
    const gateway = await aRealGateway(t, embedded);
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    await api('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    const person = peer.contact(anna);
    await person.is({ isHidden: true, tellsNumber: false });
    const sent = (await api('POST', `${path}/messages`, { chat_id: anna, type: 'text', body: 'Hello' })).body;
    await until('it is read', async () => (await api('GET', `${path}/messages/${sent.id}`)).body.status === 'read');
    await person.writes(SHOP, 'STOP');
    const status = async () => (await api('GET', `/v1/consent/history/${anna}`)).body.current?.status;
    await until('the opt-out is known', async () => (await status()) === 'opted_out');
    const { chats } = (await api('GET', '/v1/inbox')).body;
    assert.deepEqual(
      chats.filter(isOf(anna)).map(({ chat_id }: Chat) => chat_id),
      [jid(anna)],
    );
    assert.deepEqual(await skipped({ gateway, api, path }, [anna]), ['skipped opted_out']);
  });

  it('gets no campaign messages after a STOP, even before the network has linked the address to a number', async (t) => {
    const anna = '6281100000002';
    const gateway = await aRealGateway(t, embedded);
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    await api('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    await api('PUT', '/v1/consent/config', { optout_reply: '' });
    const person = peer.contact(anna);
    await person.is({ isHidden: true, tellsNumber: false });
    await person.writes(SHOP, 'STOP');
    const out = async () => (await api('GET', '/v1/consent?status=opted_out')).body.consent;
    await until('the opt-out is known', async () => (await out()).length === 1);
    assert.equal((await out())[0].phone, null);
    assert.deepEqual(await skipped({ gateway, api, path }, [anna]), ['skipped opted_out']);
    assert.deepEqual(
      (await out()).map(({ phone }: { phone: string }) => phone),
      [anna],
    );
  });
});

interface Chat {
  readonly chat_id: string;
  readonly last_message: string;
}

interface Contact {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

const isOf =
  (...numbers: readonly string[]) =>
  ({ chat_id }: Chat): boolean =>
    numbers.map(jid).includes(chat_id) || chat_id.endsWith('@lid');
