import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { OGG, upload } from './files.ts';

const WORDS = 'words that nobody would see';
const DAY = 86_400_000;

eachStore('the caption of a voice message', (kind) => {
  it('is dropped everywhere, because the network does not support captions on voice messages', async (t) => {
    const gateway = await aGateway(t, { kind });
    const shop = await gateway.signUp();
    const { api } = shop;
    const device = await shop.linked(PHONE);
    await api('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    const { key } = (await upload(gateway, shop, OGG, 'hello.ogg')).body;
    const made = async (path: string, body: object) => {
      const answer = await gateway.during(api('POST', path, body));
      assert.ok([201, 202].includes(answer.status), `${path} ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const file = { media_r2_key: key, caption: WORDS };

    const template = await made('/v1/templates', { name: 't', message_type: 'audio', ...file });
    assert.equal(template.caption, null);
    const rule = { name: 'r', trigger_type: 'any', reply_type: 'audio', reply_r2_key: key, reply_caption: WORDS };
    const { id } = await made(`${device.path}/auto-reply`, rule);
    await api('PATCH', `${device.path}/auto-reply/${id}`, { reply_caption: WORDS });
    assert.equal((await api('GET', `${device.path}/auto-reply`)).body.rules[0].reply_caption, null);
    const send = { chat_id: ANNA, type: 'audio' };
    const later = await made(`${device.path}/scheduled`, { ...send, ...file, scheduled_at: gateway.clock.now() + DAY });
    assert.equal(later.caption, null);
    const news = { name: 'n', targets: [ANNA], schedule_type: 'daily', message: WORDS, media_r2_key: key };
    const recurring = await made(`${device.path}/recurring`, news);
    assert.equal(recurring.message, null);
    const recipients = [{ phone: `+${ANNA}` }];
    const draft = { session_id: device.id, name: 'b', message_type: 'audio', body: WORDS, ...file, recipients };
    const blast = await made('/v1/blasts', draft);
    assert.deepEqual([blast.body, blast.caption], [null, null]);

    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'hi' } });
    await made(`${device.path}/messages`, { ...send, template_id: template.id });
    await made(`${device.path}/recurring/${recurring.id}/run`, {});
    await gateway.during(api('POST', `/v1/blasts/${blast.id}/start`, { consent_attested: true }));
    const sent = await gateway.until('an answer, a send, a run and a campaign', async () => {
      const { messages } = (await api('GET', `${device.path}/messages?direction=outbound`)).body;
      return messages.length === 4 && messages;
    });
    assert.deepEqual(
      sent.map(({ message_type, body }: { message_type: string; body: string | null }) => [message_type, body]),
      Array.from({ length: 4 }, () => ['audio', null]),
    );
  });
});
