import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import { ANNA } from '../support/gateway.ts';
import { anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore, type StoreKind } from '../support/stores.ts';

eachStore('a number on the official platform', (kind) => {
  it('connects after it is checked, receives messages, replies, and updates message statuses', async (t) => {
    const { gateway, verbs, made, session, path, acme, send, reaches, inbound, message, keys } = await anOfficialShop(t, kind);
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

    // Buttons and lists, and what is chosen.
    const choice = (nth: number) => ({ type: 'reply', reply: { id: `choice ${nth}`, title: `Choice ${nth}` } });
    const buttons = { type: 'button', body: { text: 'Pick one' }, footer: { text: 'Shop' }, action: { buttons: [choice(1), choice(2)] } };
    const rows = [{ id: 'r1', title: 'One', description: 'The first' }];
    const list = { type: 'list', body: { text: 'Pick' }, action: { button: 'Open', sections: [{ title: 'All', rows }] } };
    const asked = await reaches(await send({ chat_id: ANNA, type: 'text', interactive: buttons }), 'read');
    assert.deepEqual([asked.body, asked.kind, asked.content.buttons[1]], ['Pick one', 'interactive', { id: 'choice 2', text: 'Choice 2' }]);
    const offered = await reaches(await send({ chat_id: ANNA, type: 'text', interactive: list, reply_to: came.id }), 'read');
    assert.deepEqual([offered.body, offered.content.button], ['Pick', 'Open']);
    const answer = async (kindOfAnswer: string, content: Readonly<Record<string, string>>, netId: string) => {
      const { id: answered } = verbs.write(ANNA, { to: NUMBER, type: kindOfAnswer, content, reply_to: netId });
      const found = async () => (await acme.api('GET', `${path}/messages?wa_message_id=${answered}`)).body.messages[0];
      return message((await gateway.until(`${kindOfAnswer} came`, found)).id);
    };
    const tapped = await answer('button_answer', { id: 'choice 2', text: 'Choice 2' }, asked.wa_message_id);
    assert.deepEqual([tapped.body, tapped.kind, tapped.content], ['Choice 2', 'button_answer', { id: 'choice 2', text: 'Choice 2' }]);
    const chosen = await answer('list_answer', { id: 'r1', title: 'One' }, offered.wa_message_id);
    assert.deepEqual([chosen.body, chosen.kind, chosen.content.id], ['One', 'list_answer', 'r1']);

    // What the platform would refuse is named, and nothing leaves.
    const refusedSend = (body: object) => acme.api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', ...body });
    const tooMany = { ...buttons, action: { buttons: [1, 2, 3, 3].map(choice) } };
    for (const [body, at] of [
      [{ interactive: tooMany }, ['interactive.action.buttons', 'interactive.action.buttons']],
      [{ interactive: { ...list, action: { ...list.action, button: 'x'.repeat(21) } } }, ['interactive.action.button']],
      [{ interactive: buttons, body: 'Hi' }, ['interactive']],
      [{ interactive: buttons, type: 'location' }, ['type']],
      [{ interactive: buttons, type: 'image' }, ['media_r2_key']],
      [{ interactive: { ...buttons, body: undefined } }, ['interactive.body.text']],
    ] as const) {
      const answered = await refusedSend(body);
      const paths = answered.body.details?.map(({ path: where }: { path: string }) => where);
      assert.deepEqual([answered.status, paths], [400, at], JSON.stringify(answered.body));
    }
    const linked = await acme.api('POST', '/v1/sessions', {});
    const toLinked = { chat_id: ANNA, type: 'text', interactive: buttons, connect_only: false };
    const byPhone = await acme.api('POST', `/v1/sessions/${linked.body.id}/messages`, toLinked);
    assert.deepEqual([byPhone.status, byPhone.body.details[0].path], [400, 'interactive']);
    const graph = { authorization: `Bearer ${keys.access_token}`, 'content-type': 'application/json' };
    const vendorBody = { messaging_product: 'whatsapp', to: `+${ANNA}`, type: 'interactive', interactive: tooMany };
    const url = `${await verbs.officialUrl()}/${keys.phone_number_id}/messages`;
    const byVendor = await fetch(url, { method: 'POST', headers: graph, body: JSON.stringify(vendorBody) });
    assert.equal(byVendor.status, 400);
  });

  it('connects again, and never as a linked phone, if the store does not answer after a restart', async (t) => {
    let unread = 0;
    const fresh: StoreKind['fresh'] = async (scope) =>
      replacingStore(await kind.fresh(scope), (name, raw) => {
        if (name !== 'devices') return {};
        const findOne: typeof raw.findOne = (...asked) => {
          unread -= 1;
          return unread >= 0 ? Promise.reject(new Error('the store does not answer')) : raw.findOne(...asked);
        };
        return { findOne };
      });
    const { gateway, acme, path } = await anOfficialShop(t, { name: kind.name, fresh });
    const next = await gateway.crash(() => {
      unread = 3;
    });
    const api = next.as(acme.tokens.token);
    await next.until('its settings and keys are read', () => unread < 0);
    await next.during(next.clock.advance(60_000));
    const session = (await api('GET', path)).body;
    assert.deepEqual([session.status, session.reason ?? null], ['connected', null]);
  });
});
