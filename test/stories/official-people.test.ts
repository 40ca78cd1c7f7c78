import assert from 'node:assert/strict';
import { it } from 'node:test';
import { anApprovedTemplate, anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

const MARIA = '525512345678';
/** The form of her number from before 2019, which people still dial. */
const DIALLED = '5215512345678';
const CICI = '6281211110003';
const BUDI = '6281211110002';

eachStore('people on the official platform', (kind) => {
  it('are each recognized by any of their numbers and ids, and get one reply to a repeated webhook', async (t) => {
    const shop = await anOfficialShop(t, kind);
    const { gateway, acme, path, verbs, keys, send, reaches, message, session, inbound, says } = shop;
    const chats = async (): Promise<readonly (string | null)[]> =>
      (await acme.api('GET', '/v1/inbox')).body.chats.map(({ phone }: { phone: string | null }) => phone).toSorted();
    const came = (body: string) =>
      gateway.until(`${body} came`, async () => (await inbound()).find((one: { body: string }) => one.body === body));

    // The platform names another form of the number than the one that was written to.
    verbs.change(MARIA, { number_forms: [DIALLED] });
    const template_id = await anApprovedTemplate(shop);
    const first = await send({ chat_id: `+${DIALLED}`, type: 'text', template_id, variables: { name: 'Maria' } });
    await reaches(first, 'read');
    await gateway.until('her number is known', async () => (await message(first)).chat_id === `${MARIA}@s.whatsapp.net`);
    assert.deepEqual(await chats(), [MARIA]);
    verbs.write(MARIA, { to: NUMBER, body: 'Hola' });
    assert.equal((await came('Hola')).chat_id, `${MARIA}@s.whatsapp.net`);
    await reaches(await send({ chat_id: `+${DIALLED}`, type: 'text', body: 'Hola Maria' }), 'read');
    assert.deepEqual(await chats(), [MARIA]);

    // A person who hides her number is answered by her id, and her chat stays when she shows the number.
    verbs.change(CICI, { lid: true, tells_number: false, name: 'Cici' });
    verbs.write(CICI, { to: NUMBER, body: 'Hidden' });
    const hidden = await came('Hidden');
    assert.match(hidden.chat_id, /^9\d{19}@lid$/);
    await reaches(await send({ chat_id: hidden.chat_id, type: 'text', body: 'Hi Cici' }), 'read');
    assert.equal(verbs.messages(CICI).messages[0]?.body, 'Hi Cici');
    assert.deepEqual(await chats(), [MARIA, null]);
    verbs.change(CICI, { tells_number: true });
    verbs.write(CICI, { to: NUMBER, body: 'Shown' });
    assert.equal((await came('Shown')).chat_id, `${CICI}@s.whatsapp.net`);
    assert.equal((await message(hidden.id)).chat_id, `${CICI}@s.whatsapp.net`);
    assert.deepEqual(await chats(), [MARIA, CICI]);

    // One message in three webhooks that arrive at the same instant, one of them with more in it.
    const rule = { name: 'Hours', trigger_type: 'contains', trigger_text: 'open', reply_body: 'From 9 to 5.' };
    assert.equal((await acme.api('POST', `${path}/auto-reply`, rule)).status, 201);
    verbs.write(BUDI, { to: NUMBER, body: 'Hi' });
    await came('Hi');
    const timestamp = String(Math.floor(gateway.clock.now() / 1_000));
    const messages = [{ from: BUDI, id: 'wamid.TWICE', timestamp, type: 'text', text: { body: 'Open?' } }];
    await Promise.all([says({ messages }), says({ messages }), says({ messages, statuses: [] })]);
    const answers = () => verbs.messages(BUDI).messages.filter(({ body }) => body === 'From 9 to 5.').length;
    await came('Open?');
    await gateway.until('he is answered', () => answers() > 0);
    await gateway.during(gateway.clock.advance(60_000));
    assert.equal(answers(), 1);

    // The account stops sending webhooks to the app: connecting says so, and how to repair it.
    const connects = async (subscription: boolean, status: string) => {
      verbs.changeOfficial(keys.phone_number_id, { subscription });
      await acme.api('POST', `${path}/disconnect`);
      await gateway.until('it is offline', async () => (await session()).status !== 'connected');
      await acme.api('POST', `${path}/connect`);
      return gateway.until(`it is ${status}`, async () => {
        const now = await session();
        return now.status === status && now;
      });
    };
    const { reason, official } = await connects(false, 'failed');
    const [broken] = official.checks.filter(({ ok }: { ok: boolean }) => !ok);
    assert.deepEqual([reason, official.can_send, broken.name], ['permission_missing', false, 'subscribed']);
    assert.match(broken.fix, /does not send webhooks to this app\. Assign the account/);
    assert.ok((await connects(true, 'connected')).official.checks.every(({ ok }: { ok: boolean }) => ok));
    verbs.write(MARIA, { to: NUMBER, body: 'Again' });
    await came('Again');
  });
});
