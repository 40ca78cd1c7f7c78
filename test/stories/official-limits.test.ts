import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANNA } from '../support/gateway.ts';
import { anApprovedTemplate, anOfficialShop } from '../support/official.ts';
import { eachStore, embedded } from '../support/stores.ts';

const BUDI = '6281211110002';

eachStore("the official platform's limits", (kind) => {
  it('delay messages, and each message shows why it is waiting', async (t) => {
    const shop = await anOfficialShop(t, kind);
    const { gateway, acme, path, verbs, keys, send, message, reaches, session } = shop;
    const template_id = await anApprovedTemplate(shop);
    const sendTo = (chat_id: string) => send({ chat_id, type: 'text', template_id, variables: { name: 'Anna' } });
    const fault = (fault: object) => verbs.changeOfficial(keys.phone_number_id, { fault });
    const waitsFor = (id: string, reason: string) =>
      gateway.until(`${id} waits for ${reason}`, async () => {
        const { status, waiting } = await message(id);
        return status === 'queued' && waiting?.reason === reason && waiting;
      });

    fault({ code: 131_056, times: 2 });
    const slow = await sendTo(ANNA);
    assert.ok((await waitsFor(slow, 'pair_limit')).until > gateway.clock.now());
    await reaches(slow, 'read');

    verbs.write(ANNA, { to: shop.phone, body: 'Hi' });
    await gateway.until('the window is open', async () => (await shop.chat(ANNA)).window_until > gateway.clock.now());

    // The platform judges the template of this message before it delivers.
    fault({ held: 'released' });
    const held = await sendTo(ANNA);
    assert.equal((await waitsFor(held, 'held_by_network')).until, null);
    assert.equal((await acme.api('POST', `${path}/messages/${held}/cancel`)).status, 409);
    await reaches(held, 'read');
    fault({ held: 'dropped' });
    const dropped = await sendTo(ANNA);
    await waitsFor(dropped, 'held_by_network');
    assert.equal((await reaches(dropped, 'failed')).error, 'template_paused');

    // Anna is in a window now, and was reached before it opened.
    verbs.changeOfficial(keys.phone_number_id, { tier: 0 });
    await gateway.until('the limit is known', async () => (await session()).official.tier === 0);
    const first = await sendTo(BUDI);
    await waitsFor(first, 'tier');
    await reaches(await sendTo(ANNA), 'read');
    assert.deepEqual(verbs.messages(BUDI).messages, []);
    verbs.changeOfficial(keys.phone_number_id, { tier: 2 });
    await reaches(first, 'read');
    await reaches(await sendTo(BUDI), 'read');
    await waitsFor(await sendTo('6281211110003'), 'tier');

    fault({ code: 131_048 });
    await waitsFor(await sendTo(ANNA), 'spam_limit');
    await waitsFor(await sendTo(BUDI), 'spam_limit');
    await reaches(await send({ chat_id: ANNA, type: 'text', body: 'Replies still leave' }), 'read');
  });
});

// The story of a paused template runs on each store.
describe('a campaign that the platform stops', () => {
  it('is paused with the reason, and tries again when it is resumed', async (t) => {
    const shop = await anOfficialShop(t, embedded);
    const { gateway, acme, verbs, keys, session, id: session_id } = shop;
    await acme.api('PUT', '/v1/settings', { send_window: { enabled: false } });
    const template_id = await anApprovedTemplate(shop);
    const blast = async (id: string) => (await acme.api('GET', `/v1/blasts/${id}`)).body;
    const start = async (phones: readonly string[]): Promise<string> => {
      const recipients = phones.map((phone) => ({ phone: `+${phone}` }));
      const body = { session_id, name: 'Sale', message_type: 'text', template_id, variables: { name: 'friend' }, recipients };
      const { id } = (await acme.api('POST', '/v1/blasts', body)).body;
      assert.equal((await acme.api('POST', `/v1/blasts/${id}/start`)).status, 200);
      return id;
    };
    const becomes = (id: string, status: string) =>
      gateway.until(`${id} is ${status}`, async () => {
        const found = await blast(id);
        return found.status === status && found;
      });
    const resume = async (id: string): Promise<void> => {
      assert.equal((await acme.api('POST', `/v1/blasts/${id}/resume`)).status, 200);
      await becomes(id, 'completed');
    };
    const many = Array.from({ length: 40 }, (_, nth) => String(6_281_200_000_100 + nth));
    for (const phone of many.slice(0, 12)) verbs.change(phone, { on_network: false });
    const list = await start(many.toReversed());
    assert.equal((await becomes(list, 'paused')).pause_reason, 'not_reachable');
    const syncedAt = async (): Promise<number> => (await acme.api('GET', `/v1/templates/${template_id}`)).body.official.synced_at;
    for (const [code, reason, late] of [
      [132_000, 'template_parameters', false],
      [132_007, 'template_refused', true],
      [131_042, 'payment_missing', true],
      [131_048, 'spam_limit', false],
    ] as const) {
      verbs.changeOfficial(keys.phone_number_id, { fault: { code, late } });
      const before = await syncedAt();
      const id = await start(many.slice(-3));
      assert.equal((await becomes(id, 'paused')).pause_reason, reason);
      // The refusal means that the stored template differs from the platform's.
      if (code === 132_000) await gateway.until('the template is synced', async () => (await syncedAt()) > before);
      if (code === 131_042) assert.equal((await session()).official.can_send, false);
      if (code === 131_048) assert.equal((await acme.api('POST', `/v1/blasts/${id}/cancel`)).status, 200);
      else await resume(id);
    }
  });
});
