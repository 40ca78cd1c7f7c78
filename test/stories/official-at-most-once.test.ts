import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../support/gateway.ts';
import { anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

const BUDI = '6281211110002';

eachStore('sends from an official number whose outcome is unknown', (kind) => {
  it('are confirmed by a status webhook, even after a restart', async (t) => {
    const { gateway, acme, path, verbs, keys, send, reaches, inbound } = await anOfficialShop(t, kind);
    const written = () => verbs.messages(ANNA).messages.filter(({ from }) => from === NUMBER).length;
    verbs.write(ANNA, { to: NUMBER, body: 'Hi' });
    await gateway.until('it came', async () => (await inbound()).length === 1);
    gateway.sandbox.official.hooks.habits = { held: true };
    verbs.changeOfficial(keys.phone_number_id, { fault: { drop: 'after_body' } });
    const id = await send({ chat_id: ANNA, type: 'text', body: 'One' });
    await gateway.until('the platform has it', () => written() === 1);
    gateway.sandbox.official.hooks.habits = {};
    const read = await reaches(id, 'read');
    assert.match(read.wa_message_id, /^wamid\./);

    gateway.sandbox.official.hooks.habits = { held: true };
    verbs.changeOfficial(keys.phone_number_id, { fault: { drop: 'after_body' } });
    const second = await send({ chat_id: ANNA, type: 'text', body: 'Two' });
    await gateway.until('the platform has the second', () => written() === 2);
    const next = await gateway.crash();
    // The process that sent it is gone: the next one neither sends it again nor gives up before a status came.
    gateway.sandbox.official.hooks.habits = {};
    const api = next.as(acme.tokens.token);
    await next.until('the second is proven', async () => (await api('GET', `${path}/messages/${second}`)).body.status === 'read');
    assert.equal(written(), 2);
  });

  it('fail after ten minutes, block only their own chat, and are resent only if they are retried', async (t) => {
    const { gateway, acme, path, verbs, keys, send, reaches, inbound, message } = await anOfficialShop(t, kind);
    const written = (phone: string) => verbs.messages(phone).messages.filter(({ from }) => from === NUMBER);
    for (const phone of [ANNA, BUDI]) verbs.write(phone, { to: NUMBER, body: 'Hi' });
    await gateway.until('they came', async () => (await inbound()).length === 2);
    verbs.changeOfficial(keys.phone_number_id, { fault: { http: 502 } });
    const lost = await send({ chat_id: ANNA, type: 'text', body: 'Lost' });
    await gateway.during(gateway.clock.advance(2_000));
    const behind = await send({ chat_id: ANNA, type: 'text', body: 'Behind' });
    const other = await send({ chat_id: BUDI, type: 'text', body: 'Other' });
    await reaches(other, 'read');
    assert.deepEqual([(await message(lost)).status, (await message(behind)).status, written(ANNA).length], ['queued', 'queued', 0]);
    assert.equal((await message(lost)).waiting.reason, 'outcome_unknown');
    const failed = await reaches(lost, 'failed');
    assert.equal(failed.error, 'unknown_outcome');
    await reaches(behind, 'read');
    assert.deepEqual(
      written(ANNA).map(({ body }) => body),
      ['Behind'],
    );
    assert.equal((await acme.api('POST', `${path}/messages/${lost}/retry`)).status, 202);
    await reaches(lost, 'read');
    assert.deepEqual(
      written(ANNA).map(({ body }) => body),
      ['Lost', 'Behind'],
    );
    const accepted = gateway.sandbox.journal.of('accepted').filter(({ phone }) => phone === NUMBER);
    assert.ok(accepted.some(({ netId }) => netId === `${lost}.2`));
  });
});
