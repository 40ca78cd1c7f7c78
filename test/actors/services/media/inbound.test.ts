import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { sandboxVerbs, type WriteBody } from '../../../../actors/network/sandbox/api.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import { aLog } from '../../../support/log.ts';
import { anS3, s3Config } from '../../../support/s3/server.ts';
import { aDirectory, eachStore } from '../../../support/stores.ts';
import { got, OGG, PNG, pngOf, sha256, upload } from './files.ts';

const ID = '6281100000002';
const MB = 1024 * 1024;

const writes = ({ sandbox }: Gateway, body: Omit<WriteBody, 'to'>) => sandboxVerbs(sandbox).write(ANNA, { to: PHONE, ...body });

eachStore('a file sent by a customer', (kind) => {
  it('is stored before its message is acknowledged to the network', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const inbound = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const photo = writes(gateway, {
      type: 'image',
      caption: 'Is this yours?',
      file: { base64: PNG.toString('base64'), filename: 'a.jpg' },
    });
    const acked = () => gateway.sandbox.journal.of('received-acked').some(({ netId }) => netId === photo.id);
    await gateway.until('the network is told', async () => {
      const isAcked = acked();
      assert.ok(!isAcked || (await inbound()).length === 1, 'told before it was stored');
      return isAcked;
    });
    const [message] = await inbound();
    const full = await device.message(message.id);
    assert.deepEqual([full.message_type, full.body, full.error], ['image', 'Is this yours?', null]);
    assert.deepEqual(full.media, { content_type: 'image/png', filename: 'a.jpg', size: PNG.length, sha256: sha256(PNG) });

    const restarted = await gateway.crash();
    const answer = await got(restarted, acme, `${device.path}/messages/${message.id}/media`);
    assert.deepEqual([answer.headers.get('content-type'), sha256(answer.bytes)], ['image/png', sha256(PNG)]);
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
  });

  it('can be large, and is stored only once if it is delivered twice', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const sent = writes(gateway, { type: 'video', file: { size: 30 * MB, seed: 7, filename: 'tour.mp4' } });
    await gateway.until('it is being fetched', () => gateway.sandbox.journal.of('received').some(({ netId }) => netId === sent.id));
    gateway.sandbox.device(PHONE).fault({ kind: 'drop' });
    const inbound = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    await gateway.until('it is acknowledged', () => gateway.sandbox.journal.of('received-acked').length === 1);
    const [message, ...more] = await inbound();
    assert.deepEqual(more, []);
    assert.equal(gateway.sandbox.journal.of('received').length, 2);
    const { media } = await device.message(message.id);
    assert.deepEqual([media.size, media.sha256], [30 * MB, sent.file?.sha256]);
    assert.equal((await acme.api('GET', '/v1/media')).body.media.length, 1);
  });

  it('is replaced by an error in its message if it is too large or missing', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const other = await acme.linked(ID);
    writes(gateway, { type: 'document', file: { size: 100 * MB + 1, seed: 1 } });
    const inboundOf = async (path: string) => (await acme.api('GET', `${path}/messages?direction=inbound`)).body.messages[0];
    const large = await gateway.until('the message is there', () => inboundOf(device.path));
    assert.equal((await device.message(large.id)).error, 'media_too_large');
    assert.equal((await got(gateway, acme, `${device.path}/messages/${large.id}/media`)).status, 404);

    // The sandbox keeps no files of devices, so one that another device sends is gone when it comes.
    const { key } = (await upload(gateway, acme, OGG)).body;
    await acme.api('POST', `${device.path}/messages`, { chat_id: ID, type: 'audio', media_r2_key: key });
    const gone = await gateway.until('the other device has it', () => inboundOf(other.path));
    const full = await other.message(gone.id);
    assert.deepEqual([full.error, full.media_r2_key, full.media.size], ['media_gone', null, OGG.length]);
  });
});

/** More files than may wait for a bucket at the same time. */
const MANY = 90;

eachStore('files sent by customers', (kind) => {
  it('are all stored in a bucket even if many arrive at the same time, and are deleted on request', async (t) => {
    const s3 = await anS3(t);
    const { log, lines } = aLog();
    const gateway = await aGateway(t, { kind, log, config: s3Config(s3) });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await acme.api('POST', `${device.path}/disconnect`);
    const photos = Array.from({ length: MANY }, (_, nth) =>
      writes(gateway, { type: 'image', file: { base64: pngOf(1_000 + nth).toString('base64') } }),
    );
    await acme.api('POST', `${device.path}/connect`);
    await gateway.until('all are there', () => gateway.sandbox.journal.of('received-acked').length === MANY);
    assert.equal(s3.keys().length, MANY);

    for (const { id } of photos) gateway.sandbox.phone(ANNA).do({ to: PHONE, target: id, act: { kind: 'deleted' } });
    await gateway.until('none is left', () => s3.keys().length === 0);
    assert.deepEqual([lines('device.store_error'), lines('outbox.step_failed')], [[], []]);
  });

  for (const place of ['bucket', 'disk'] as const)
    it(`stay on the network while the ${place} is unavailable, but do not delay their messages`, async (t) => {
      const [s3, data_dir] = [await anS3(t), aDirectory(t)];
      const { log, lines } = aLog();
      const gateway = await aGateway(t, { kind, log, config: { data_dir, ...(place === 'bucket' && s3Config(s3)) } });
      const acme = await gateway.signUp();
      const device = await acme.linked(PHONE);
      const [media, elsewhere] = [join(data_dir, 'media'), join(data_dir, 'elsewhere')];
      if (place === 'bucket') s3.fail('PUT', 403, Number.POSITIVE_INFINITY);
      else {
        await rename(media, elsewhere);
        await writeFile(media, '');
      }
      writes(gateway, { type: 'image', caption: 'STOP', file: { base64: PNG.toString('base64') } });
      const inbound = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages[0];
      const { id } = await gateway.until('it is in the log', inbound);
      assert.equal((await device.message(id)).error, 'media_not_fetched');
      assert.deepEqual([await device.status(), lines('device.store_error')], ['connected', []]);
      assert.equal(lines('device.file_not_stored').length, 1);
    });
});
