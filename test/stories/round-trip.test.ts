import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOMES, mobiles } from '../actors/domain/numbers/outcomes.ts';
import { bookOf } from '../actors/services/contacts/contacts-fixture.ts';
import { aGateway, PHONE } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { isNight } from '../support/night.ts';
import { embedded } from '../support/stores.ts';

type Body = Awaited<ReturnType<ReturnType<typeof bookOf>['ask']>>;

/** Austria reads more digits of other countries as its own than any other home; a run of the night goes through all. */
const homes = HOMES.filter(({ country }) => isNight || country === 'AT');
const SENT_AT_ONCE = 100;

it(`a formatted mobile number from any country is parsed correctly in each of ${homes.length} home countries`, async (t) => {
  const gateway = await aGateway(t, { kind: embedded, limits: NEVER_FULL });
  const acme = await gateway.signUp();
  const { id: tenantId } = (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants[0];
  assert.equal((await gateway.operator('PATCH', `/v1/admin/tenants/${tenantId}`, { plan: 'pro' })).status, 200);
  const device = await acme.linked(PHONE);
  const { ask, done } = bookOf(gateway, acme.api);
  const off = { enabled: false };
  await ask(200, 'PUT', '/v1/settings', {
    send_window: off,
    warmup: { ...off, days: 1 },
    pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false },
  });
  const all = async (path: string, name: string): Promise<readonly Body[]> => {
    const found: Body[] = [];
    for (let next = ''; ; ) {
      const body = await ask(200, 'GET', `${path}?limit=200${next}`);
      found.push(...body[name]);
      if (body.next_before === null) return found;
      next = `&before=${body.next_before}&before_id=${body.next_before_id}`;
    }
  };
  const people = [...new Set(mobiles.map(({ digits }) => digits))];
  const rows = people.map((digits) => ({ phone: `+${digits}` }));
  const known = await ask(202, 'POST', '/v1/contacts/import', { rows });
  assert.deepEqual((await done(`/v1/contacts/imports/${known.id}`)).errors, []);
  const shown = (await all('/v1/contacts', 'contacts')).map(({ phone }) => phone);
  assert.deepEqual(shown.toSorted(), people.toSorted());
  const got = (digits: string): readonly string[] =>
    gateway.sandbox
      .phone(digits)
      .messages(50)
      .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));

  for (const { country } of homes) {
    await ask(200, 'PUT', '/v1/profile', { country });
    for (let from = 0; from < shown.length; from += SENT_AT_ONCE) {
      const messages = shown.slice(from, from + SENT_AT_ONCE).map((chat_id) => ({ chat_id, type: 'text', body: `${country} ${chat_id}` }));
      const { results } = await ask(202, 'POST', `${device.path}/messages/bulk`, { messages });
      assert.deepEqual(
        results.filter(({ code }: Body) => code !== undefined),
        [],
      );
    }
    for (const digits of people) await gateway.until(`${digits} has the text`, () => got(digits).includes(`${country} ${digits}`));

    const draft = { session_id: device.id, name: country, message_type: 'text', body: 'Hi', recipients: shown.map((phone) => ({ phone })) };
    const blast = await ask(201, 'POST', '/v1/blasts', draft);
    const recipients = await all(`/v1/blasts/${blast.id}/recipients`, 'recipients');
    assert.deepEqual(recipients.map(({ phone, error }) => [phone, error]).toSorted(), people.map((phone) => [phone, null]).toSorted());

    const file = await ask(200, 'GET', '/v1/contacts/export');
    for (const csv of [file, ['phone', ...shown].join('\n')]) {
      const { id } = await ask(202, 'POST', '/v1/contacts/import', csv, { 'content-type': 'text/csv' });
      const { created, updated, errors } = await done(`/v1/contacts/imports/${id}`);
      assert.deepEqual([created, updated, errors], [0, people.length, []]);
    }
  }
  for (const digits of people)
    assert.deepEqual(got(digits).toSorted(), homes.map(({ country }) => `${country} ${digits}`).toSorted(), digits);
});
