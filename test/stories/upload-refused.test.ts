import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { PNG, upload } from '../actors/services/media/files.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore('a network that refuses uploads', (kind) => {
  it('delays only messages with files, which are each sent once when uploads work again', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const { key } = (await upload(gateway, acme, PNG, 'a.png')).body;
    sandboxVerbs(gateway.sandbox).fault(PHONE, { kind: 'upload_refused', for_ms: 300_000 });
    const sent = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'image', media_r2_key: key });
    assert.equal(sent.status, 202);
    await device.text(ANNA, 'goes on');
    const shown = () =>
      sandboxVerbs(gateway.sandbox)
        .messages(ANNA)
        .messages.map(({ type }) => type);
    await gateway.until('the text arrived', () => shown().includes('text'));
    await gateway.clock.advance(60_000);
    assert.deepEqual([shown(), (await device.message(sent.body.id)).status, await device.status()], [['text'], 'queued', 'connected']);
    await gateway.until('the picture arrived', () => shown().includes('image'));
    assert.deepEqual(shown().toSorted(), ['image', 'text']);
    assert.equal((await gateway.until('it is sent', async () => (await device.message(sent.body.id)).sent_at)) > 0, true);
  });
});
