import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { PNG, upload } from '../media/files.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

const READY = { name: 'Order ready', message_type: 'text', body: 'Hi {{first_name|there}}, order {var1} for {attr.city} is ready.' };
const PATH = '/v1/templates';

eachStore('templates', (kind) => {
  it('can be created, changed, listed and removed, with unique names', async (t) => {
    const { ask, gateway } = await anAddressBook(t, kind);
    const made = await ask(201, 'POST', PATH, READY);
    assert.deepEqual([made.body, made.language, made.media_r2_key], [READY.body, 'en', null]);
    assert.equal((await ask(409, 'POST', PATH, { ...READY, name: 'ORDER READY' })).code, 'CONFLICT');
    const changed = await ask(200, 'PATCH', `${PATH}/${made.id}`, { language: 'id', body: 'Halo {name}' });
    assert.deepEqual([changed.name, changed.language, changed.body], ['Order ready', 'id', 'Halo {name}']);
    assert.deepEqual((await ask(200, 'GET', PATH)).templates, [await ask(200, 'GET', `${PATH}/${made.id}`)]);
    for (const wrong of [
      { name: 'x' },
      { name: 'x', message_type: 'image' },
      { name: 'x', message_type: 'poll', body: 'x' },
      { ...READY, kind: 1 },
    ])
      assert.equal((await ask(400, 'POST', PATH, wrong)).code, 'VALIDATION_FAILED');
    assert.equal((await ask(404, 'POST', PATH, { name: 'x', message_type: 'image', media_r2_key: 'med_none' })).code, 'NOT_FOUND');
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('GET', `${PATH}/${made.id}`)).status, 404);
    await ask(200, 'DELETE', `${PATH}/${made.id}`);
    await ask(404, 'GET', `${PATH}/${made.id}`);
  });

  it('can be renamed if their file has been deleted, but cannot switch to another deleted file', async (t) => {
    const { ask, gateway, acme } = await anAddressBook(t, kind);
    const [{ key }, { key: other }] = [(await upload(gateway, acme, PNG)).body, (await upload(gateway, acme, PNG)).body];
    const { id } = await ask(201, 'POST', PATH, { name: 'Picture', message_type: 'image', media_r2_key: key });
    for (const gone of [key, other]) await ask(200, 'DELETE', `/v1/media/${gone}`);
    const changed = await ask(200, 'PATCH', `${PATH}/${id}`, { name: 'Old picture', caption: 'Hi {name}' });
    assert.deepEqual([changed.name, changed.caption, changed.media_r2_key], ['Old picture', 'Hi {name}', key]);
    await ask(404, 'PATCH', `${PATH}/${id}`, { media_r2_key: other });
    await ask(404, 'PATCH', `${PATH}/${id}`, { message_type: 'document' });
    await ask(200, 'PATCH', `${PATH}/${id}`, { message_type: 'text', body: 'Hi {name}' });
  });

  it('can be previewed, and missing values are listed', async (t) => {
    const { ask, add } = await anAddressBook(t, kind);
    const { id } = await ask(201, 'POST', PATH, READY);
    const anna = await add(ANNA, { name: 'Anna Widodo', var1: '{name}', attrs: { city: 'Bali' } });
    const shown = (body: object) => ask(200, 'POST', `${PATH}/${id}/preview`, body);
    assert.deepEqual(await shown({ contact_id: anna.id }), { body: 'Hi Anna, order {name} for Bali is ready.', missing: [] });
    assert.deepEqual(await shown({}), { body: 'Hi there, order  for  is ready.', missing: ['var1', 'attr.city'] });
    assert.deepEqual(
      (await shown({ vars: { first_name: 'Ben', var1: '7', attrs: { city: 'Bali' } } })).body,
      'Hi Ben, order 7 for Bali is ready.',
    );
    assert.equal((await ask(404, 'POST', `${PATH}/${id}/preview`, { contact_id: id })).code, 'NOT_FOUND');
  });

  it("can provide the text of single, bulk and scheduled messages, with the contact's data", async (t) => {
    const { ask, add, acme, gateway } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    await add(ANNA, { name: 'Anna Widodo', var1: 'no. 7', attrs: { city: 'Bali' } });
    const { id: template_id } = await ask(201, 'POST', PATH, READY);
    const send = (status: number, body: object) => ask(status, 'POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', ...body });
    const sent = await send(202, { template_id });
    assert.equal((await device.message(sent.id)).body, 'Hi Anna, order no. 7 for Bali is ready.');
    const messages = [phoneNo(1), ANNA].map((chat_id) => ({ chat_id, type: 'text', template_id }));
    const { results } = await ask(202, 'POST', `${device.path}/messages/bulk`, { messages });
    assert.equal((await device.message(results[0].id)).body, 'Hi there, order  for  is ready.');
    const scheduled_at = gateway.clock.now() + 60_000;
    const later = await ask(201, 'POST', `${device.path}/scheduled`, { chat_id: ANNA, type: 'text', template_id, scheduled_at });
    assert.equal(later.body, 'Hi Anna, order no. 7 for Bali is ready.');
    assert.equal((await send(400, { template_id, body: 'x' })).code, 'VALIDATION_FAILED');
    assert.equal((await send(400, { template_id, type: 'image' })).code, 'VALIDATION_FAILED');
    assert.equal((await send(404, { template_id: sent.id })).code, 'NOT_FOUND');
    const empty = await ask(201, 'POST', PATH, { name: 'Empty', body: '{var5}' });
    assert.equal((await send(400, { template_id: empty.id })).code, 'VALIDATION_FAILED');
  });

  it('can be sent to a segment, a tag or a group in a campaign', async (t) => {
    const { ask, add, acme, gateway } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    await ask(200, 'PUT', '/v1/settings', { send_window: { enabled: false } });
    for (let nth = 0; nth < 3; nth += 1) await add(phoneNo(nth), { name: `Person ${nth}`, tags: nth ? ['VIP'] : [] });
    const { id: template_id } = await ask(201, 'POST', PATH, { name: 'Hello', body: 'Hello {first_name} {phone}' });
    const campaign = await ask(201, 'POST', '/v1/blasts', {
      name: 'Sale',
      session_id: device.id,
      message_type: 'text',
      template_id,
      tag: 'vip',
    });
    await ask(200, 'POST', `/v1/blasts/${campaign.id}/start`, { consent_attested: true });
    const read = (phone: string) =>
      gateway.sandbox
        .phone(phone)
        .messages(5)
        .map(({ content }) => content.type === 'text' && content.body);
    await gateway.until('they have it', () => read(phoneNo(1)).length > 0 && read(phoneNo(2)).length > 0);
    assert.deepEqual([read(phoneNo(0)), read(phoneNo(1))], [[], [`Hello Person +${phoneNo(1)}`]]);
  });

  it('are neither previewed nor sent if filling in their tokens makes the text too long', async (t) => {
    const { ask, add, acme, gateway } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    const anna = await add(ANNA, { var1: 'x'.repeat(500) });
    const { id: template_id } = await ask(201, 'POST', PATH, { name: 'Long', body: '{var1}'.repeat(10_922) });
    const refused = await ask(400, 'POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', template_id });
    assert.deepEqual([refused.code, refused.details[0].path], ['VALIDATION_FAILED', 'template_id']);
    const shown = await ask(400, 'POST', `${PATH}/${template_id}/preview`, { contact_id: anna.id });
    assert.deepEqual([shown.code, shown.details[0].path], ['VALIDATION_FAILED', 'contact_id']);
    const { key: media_r2_key } = (await upload(gateway, acme, PNG)).body;
    const picture = await ask(201, 'POST', PATH, { name: 'Picture', message_type: 'image', media_r2_key, caption: '{var1}{var1}{var1}' });
    const asked = { chat_id: ANNA, type: 'image', template_id: picture.id };
    assert.equal((await ask(400, 'POST', `${device.path}/messages`, asked)).code, 'VALIDATION_FAILED');
    await ask(202, 'POST', `${device.path}/messages`, { ...asked, chat_id: phoneNo(1) });
  });
});
