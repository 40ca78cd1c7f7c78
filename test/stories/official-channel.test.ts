import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../support/gateway.ts';
import { anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

eachStore('a number on the official platform', (kind) => {
  it('connects with checks, receives, answers, and follows the statuses', async (t) => {
    const { gateway, verbs, made, session, path, acme, send, reaches, inbound, message } = await anOfficialShop(t, kind);
    const now = await session();
    assert.deepEqual([now.driver, now.phone_number, now.official.quality, now.official.tier], ['official', NUMBER, 'green', 250]);
    assert.ok(now.official.checks.length >= 7);
    assert.deepEqual(
      now.official.checks.filter(({ ok }: { ok: boolean }) => !ok),
      [],
    );
    assert.equal(now.warmup_until_ms, null);
    assert.ok(made.verify_token && !now.verify_token);
    for (const what of ['qr', 'passkey']) assert.equal((await acme.api('GET', `${path}/${what}`)).status, 404);
    assert.equal((await acme.api('POST', `${path}/pairing-code`, { phone: ANNA })).status, 404);

    const { id: wamid } = verbs.write(ANNA, { to: NUMBER, body: 'Halo! @toko 50% ä 👍' });
    const [came] = await gateway.until('it came', async () => {
      const messages = await inbound();
      return messages.length === 1 && messages;
    });
    assert.deepEqual(
      [came.body, came.chat_id, (await message(came.id)).wa_message_id],
      ['Halo! @toko 50% ä 👍', `${ANNA}@s.whatsapp.net`, wamid],
    );

    const id = await send({ chat_id: ANNA, type: 'text', body: 'Hi Anna', reply_to: came.id });
    const read = await reaches(id, 'read');
    assert.match(read.wa_message_id, /^wamid\./);
    const [shown] = verbs.messages(ANNA).messages.filter(({ from }) => from === NUMBER);
    assert.deepEqual([shown?.body, shown?.reply_to, shown?.id], ['Hi Anna', wamid, read.wa_message_id]);
    verbs.write(ANNA, { to: NUMBER, type: 'reaction', target: read.wa_message_id, body: '👍' });
    await gateway.until('the reaction came', async () => (await message(id)).reactions?.length === 1);
  });
});
