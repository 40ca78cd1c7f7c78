import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { DeferredMediaLoader } from '../../../../actors/device/effects/deferred-media.ts';
import type { DeviceFiles } from '../../../../actors/services/media/device-files.ts';
import { messageFiles } from '../../../../actors/services/media/message-files.ts';
import { codeOf } from '../../../../runtime/errors.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { mediaIn } from '../../../../store/media/media.ts';
import { deferredMediaIn } from '../../../../store/messaging/deferred-media.ts';
import { messagesIn, messagesSpec } from '../../../../store/messaging/messages.ts';
import { places } from '../../../store/media/places.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';
import { NO_DERIVED, PNG } from '../../services/media/files.ts';
import { libraryOn } from '../../services/privacy/erasure-fixture.ts';

const unused = (): never => assert.fail('without a connection nothing is fetched');
const files: DeviceFiles = { open: unused, keepInbound: unused, dropInbound: unused };

eachStore('a file that is not downloaded yet', (kind) => {
  it('can be requested up to 17 times concurrently, and again once these requests have finished', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const deferredMedia = deferredMediaIn(store);
    await store.prepare();
    await messages.accept(aMessageRow({ _id: 'a', created_at: 1, deferred_media: { url: 'somewhere' } }));
    const loader = new DeferredMediaLoader(
      { deferredMedia, files, clock: new VirtualClock() },
      { tenantId: 't', sessionId: 's', epoch: 1 },
    );
    const ask = (): Promise<unknown> => loader.fetch('a', null).then(() => 'fetched', codeOf);
    const answers = await Promise.all(Array.from({ length: 19 }, ask));
    assert.deepEqual(answers, [...new Array(17).fill('NOT_CONNECTED'), 'OVERLOADED', 'OVERLOADED']);
    assert.equal(await ask(), 'NOT_CONNECTED');
  });

  it('is not stored if its message is deleted during the download', async (t) => {
    const store = await kind.fresh(t);
    const [messages, deferredMedia, rows] = [messagesIn(store), deferredMediaIn(store), mediaIn(store)];
    await store.prepare();
    const photo = { message_type: 'image', direction: 'inbound', status: 'delivered', deferred_media: { url: 'somewhere' } } as const;
    const bytes = await places[0]!.fresh(t);
    const kept = messageFiles(libraryOn(store, bytes), NO_DERIVED);
    const loader = new DeferredMediaLoader(
      { deferredMedia, files: kept, clock: new VirtualClock() },
      { tenantId: 't', sessionId: 's', epoch: 1 },
    );
    const fetched = (id: string, meanwhile: () => Promise<unknown>): Promise<unknown> =>
      loader.fetch(id, { download: async () => Readable.from([await meanwhile().then(() => PNG)]) }).then(() => 'fetched', codeOf);
    await messages.accept(aMessageRow({ _id: 'a', created_at: 1, ...photo }));
    await messages.accept(aMessageRow({ _id: 'b', created_at: 1, ...photo }));
    assert.equal(await fetched('a', async () => {}), 'fetched');
    const erase = () => store.collection(messagesSpec).deleteOne({ _id: 'b' });
    assert.equal(await fetched('b', erase), 'NOT_FOUND');
    assert.equal((await Array.fromAsync(rows.list('t', { limit: 10, before: null, beforeId: null }, null))).length, 1);
    assert.equal((await bytes.list(null, 10)).length, 1);
  });

  it('times out after 15 s without a first byte, without blocking other files, and is stored later', async (t) => {
    const store = await kind.fresh(t);
    const [messages, deferredMedia] = [messagesIn(store), deferredMediaIn(store)];
    await store.prepare();
    const photo = { message_type: 'image', direction: 'inbound', status: 'delivered', deferred_media: { url: 'somewhere' } } as const;
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const [nth, _id] of names.entries()) await messages.accept(aMessageRow({ _id, net_id: `n${nth}`, created_at: 1, ...photo }));
    const clock = new VirtualClock();
    const kept = messageFiles(libraryOn(store, await places[0]!.fresh(t)), NO_DERIVED);
    const loader = new DeferredMediaLoader({ deferredMedia, files: kept, clock }, { tenantId: 't', sessionId: 's', epoch: 1 });
    const phone = Promise.withResolvers<void>();
    const from = (first: Promise<unknown>) => ({ download: () => first.then(() => Readable.from([PNG])) });
    const ask = (id: string, first: Promise<unknown>): Promise<unknown> => loader.fetch(id, from(first)).then(() => 'fetched', codeOf);
    const late = Promise.all(names.slice(0, 4).map((id) => ask(id, phone.promise)));
    assert.equal(await ask('e', Promise.resolve()), 'OVERLOADED');
    while (clock.pending < 8) await new Promise((done) => setImmediate(done));
    await clock.advance(15_000);
    assert.deepEqual(await late, new Array(4).fill('DEVICE_TIMEOUT'));
    assert.equal(await ask('e', Promise.resolve()), 'fetched');
    assert.equal(await ask('a', Promise.resolve()), 'DEVICE_TIMEOUT');
    phone.resolve();
    while (!(await messages.find('t', 's', 'a'))?.media_r2_key) await new Promise((done) => setImmediate(done));
    // The file is stored shortly before its request ends.
    while ((await ask('a', Promise.resolve())) !== 'fetched') await new Promise((done) => setImmediate(done));
  });
});
