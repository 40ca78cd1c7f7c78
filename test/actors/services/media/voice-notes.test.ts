import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { present } from '../../../../runtime/invariant.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, embedded } from '../../../support/stores.ts';
import { tone, wavOf } from './convert/samples.ts';
import { got, sha256, upload } from './files.ts';

eachStore('a voice note', (kind) => {
  it('is converted only once to the format that phones use', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const wav = wavOf(tone({ seconds: 2, rate: 44_100 }), 44_100);
    const uploaded = (await upload(gateway, acme, wav, 'hello.wav')).body;
    assert.equal(uploaded.seconds, 2);
    const send = (more: object) =>
      acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'audio', media_r2_key: uploaded.key, voice_note: true, ...more });
    const sent = [await send({}), await send({})];
    assert.deepEqual([sent[0]?.status, sent[0]?.body.warnings], [202, undefined], JSON.stringify(sent[0]?.body));
    const notes = await gateway.until('both arrived', () => {
      const { messages } = sandboxVerbs(gateway.sandbox).messages(ANNA);
      return messages.length === 2 && messages;
    });
    const [first, second] = notes;
    const { file, seconds, waveform, voice_note } = present(first, 'the first note');
    assert.deepEqual([file?.content_type, seconds, waveform?.length, voice_note], ['audio/ogg; codecs=opus', 2, 64, true]);
    assert.equal(second?.file?.sha256, file?.sha256);
    assert.notEqual(file?.sha256, sha256(wav));
    const { media } = await device.message(sent[0]?.body.id);
    assert.deepEqual([media.content_type, media.size, media.seconds, media.waveform.length], ['audio/wav', wav.length, 2, 64]);
    assert.deepEqual((await got(gateway, acme, `${device.path}/messages/${sent[0]?.body.id}/media`)).bytes, wav);
    assert.equal((await acme.api('GET', '/v1/media')).body.media.length, 1);
    const asItIs = await send({ convert: false });
    assert.deepEqual([asItIs.status, asItIs.body.code], [400, 'VALIDATION_FAILED']);
    assert.match(asItIs.body.error, /codecs=opus/);
  });
});

describe('a recording longer than an hour', () => {
  it('is rejected as a voice note or audio file, but can be sent as a document', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    // Silence of 8 kbit/s, in frames of 24 ms.
    const frame = Buffer.concat([Buffer.from('fff314c4', 'hex'), Buffer.alloc(20)]);
    const { key, seconds } = (await upload(gateway, acme, Buffer.alloc(153_000 * frame.length, frame), 'lecture.mp3')).body;
    assert.ok(seconds > 3_600, `${seconds}`);
    const send = (order: object) => acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, media_r2_key: key, ...order });
    for (const order of [{ type: 'audio' }, { type: 'audio', voice_note: true }]) {
      const { status, body } = await send(order);
      assert.deepEqual([status, body.details?.[0]?.path], [400, 'media_r2_key'], JSON.stringify(body));
      assert.match(body.error, /60 minutes/);
    }
    assert.equal((await send({ type: 'document' })).status, 202);
  });
});
