import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { pino } from 'pino';
import { storeInbound } from '../../../../actors/device/effects/inbound-messages.ts';
import type { InboundMessage } from '../../../../actors/network/port.ts';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { createMediaLibrary } from '../../../../actors/services/media/library.ts';
import { createMediaQuota } from '../../../../actors/services/media/media-quota.ts';
import { dropDeletedFiles, messageFiles } from '../../../../actors/services/media/message-files.ts';
import { sweepMedia } from '../../../../actors/services/media/sweep.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { momentOfId } from '../../../../runtime/derived-ids.ts';
import { newId } from '../../../../runtime/ids.ts';
import { safeTexts } from '../../../../runtime/safe-text.ts';
import { startIdentities } from '../../../../scripts/wiring/identities.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { checkpointsIn } from '../../../../store/jobs/checkpoints.ts';
import { type MediaBytes, mediaIn } from '../../../../store/media/media.ts';
import { mediaUsageIn } from '../../../../store/media/media-usage.ts';
import { deferredMediaIn } from '../../../../store/messaging/deferred-media.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { receivedActionsIn } from '../../../../store/messaging/received-actions.ts';
import { places } from '../../../store/media/places.ts';
import { carryOut } from '../../../support/carry-out.ts';
import { ANNA, aGateway, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import { aSecretSealer } from '../../../support/message-row.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { got, NO_DERIVED, PNG } from './files.ts';

const BEN = '6281211110002';
const DAY = 86_400_000;

/** A device to which Anna sent a photo. */
async function aPhoto(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const file = { base64: PNG.toString('base64') };
  const { id: netId } = sandboxVerbs(gateway.sandbox).write(ANNA, { to: PHONE, type: 'image', file });
  const inbound = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages[0];
  const photo = await gateway.until('it is there', inbound);
  const { media_r2_key: key } = await device.message(photo.id);
  const deleteIt = () => gateway.sandbox.phone(ANNA).do({ to: PHONE, target: netId, act: { kind: 'deleted' } });
  const isDeleted = async () => (await device.message(photo.id)).status === 'deleted';
  return { gateway, acme, device, photo, key, netId, deleteIt, isDeleted };
}

const files = async ({ api }: Tenant | { api: ReturnType<Gateway['as']> }) => (await api('GET', '/v1/media')).body.media.length;

eachStore('the file in a message that its sender has deleted', (kind) => {
  it('is deleted with the message', async (t) => {
    const { gateway, acme, device, photo, key, deleteIt } = await aPhoto(t, kind);
    assert.equal(await files(acme), 1);
    deleteIt();
    await gateway.until('it is gone', async () => (await files(acme)) === 0);
    assert.equal((await got(gateway, acme, `/v1/media/${key}`)).status, 404);
    assert.equal((await got(gateway, acme, `${device.path}/messages/${photo.id}/media`)).status, 404);
    assert.equal((await acme.api('POST', `${device.path}/messages`, { chat_id: BEN, type: 'image', media_r2_key: key })).status, 404);
  });

  it('is kept if another message of the business uses it', async (t) => {
    const { gateway, acme, device, photo, deleteIt, isDeleted } = await aPhoto(t, kind);
    const { id } = (await acme.api('POST', `${device.path}/messages/${photo.id}/forward`, { chat_id: BEN })).body;
    deleteIt();
    await gateway.until('it is deleted', isDeleted);
    await gateway.until('the copy is read', async () => (await device.message(id)).status === 'read');
    assert.equal((await got(gateway, acme, `${device.path}/messages/${id}/media`)).status, 200);
  });

  it("is deleted after a restart if the process crashed just after it stored the message's deletion", async (t) => {
    const { gateway, acme, device, netId } = await aPhoto(t, kind);
    await gateway.node.actors.shutdown();
    const owner = { tenantId: acme.id, sessionId: device.id, epoch: 1_000 };
    await receivedActionsIn(gateway.store).apply(owner, deletionOf(device.id, netId, gateway.clock.now()));
    const restarted = await gateway.crash();
    const again = { api: restarted.as(acme.tokens.token) };
    await restarted.until('it is gone', async () => (await files(again)) === 0);
  });

  it('does not reappear when the network delivers the message again', async (t) => {
    const { library, deliver, apply, drop, count } = await aLibrary(t, kind);
    await deliver();
    assert.equal(await count(), 1);
    await apply();
    await drop();
    assert.equal(await count(), 0);
    await deliver();
    assert.deepEqual(await Array.fromAsync(library.list('t', { limit: 10, before: null, beforeId: null }, null)), []);
    assert.equal(await count(), 0);
  });

  it("is deleted completely even if the process crashes between deleting the file's record and its bytes", async (t) => {
    const { deliver, apply, drop, count, sweep, dying } = await aLibrary(t, kind);
    await deliver();
    await apply();
    await assert.rejects(() => drop(dying), /killed/);
    assert.equal(await count(), 1);
    await drop();
    assert.equal(await sweep(), 1);
    assert.equal(await count(), 0);
  });
});

const deletionOf = (sessionId: string, target: string, at: number) => ({
  _id: `${sessionId}:DELETION`,
  session_id: sessionId,
  net_id: 'DELETION',
  target,
  kind: 'deleted' as const,
  body: null,
  by: [`${ANNA}@s.whatsapp.net`],
  at,
  expires_at: at + DAY,
});

/** A device's way in without the device: a photo is delivered and deleted as often as a story likes. */
async function aLibrary(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const [rows, messages, checkpoints] = [mediaIn(store), messagesIn(store), checkpointsIn(store)];
  const { receivedActions, people } = startIdentities(store, {
    messages,
    devices: devicesIn(store),
    chats: chatsIn(store),
    clock: systemClock,
  });
  const bytes = await places[0]!.fresh(scope);
  const quota = createMediaQuota({ usage: mediaUsageIn(store), limitOf: async () => 1e9, now: () => 1 });
  await store.prepare();
  const over = (there: MediaBytes) =>
    createMediaLibrary({
      rows,
      bytes: there,
      direct: null,
      links: { remove: async () => {} },
      quota,
      dropDerived: async () => {},
      now: () => 1,
    });
  const library = over(bytes);
  const owner = { tenantId: 't', sessionId: 's', epoch: 1 };
  const address = `${ANNA}@s.whatsapp.net`;
  const photo: InboundMessage = {
    netId: 'PHOTO',
    chat: address,
    from: address,
    fromName: null,
    content: {
      type: 'image',
      caption: null,
      voiceNote: false,
      file: { contentType: 'image/png', filename: null, size: PNG.length, sha256: '' },
    },
    quotes: null,
    at: 1,
  };
  const deps = {
    receivedActions,
    people,
    messages,
    files: messageFiles(library, NO_DERIVED),
    download: async () => Readable.from([PNG]),
    clock: systemClock,
    secrets: aSecretSealer(),
    deferredMedia: deferredMediaIn(store),
    isPlatformChat: async () => false,
    timers: { learn: async () => {}, learnFrom: async () => {}, learnFacts: async () => {} },
    log: pino({ level: 'silent' }),
  };
  return {
    library,
    deliver: () => storeInbound({ ...deps, stored: () => {} }, owner, { message: safeTexts(photo), isOurs: false }, 1),
    apply: () => receivedActions.apply(owner, deletionOf('s', 'PHOTO', 1)),
    drop: async (from = library) => carryOut(dropDeletedFiles(from), await Array.fromAsync(messages.withOutbox(owner, 10))),
    dying: over({ ...bytes, remove: () => Promise.reject(new Error('killed')) }),
    count: async () => (await bytes.list(null, 10)).length,
    sweep: () => sweepMedia({ owners: [rows], bytes, checkpoints, clock: systemClock }, momentOfId(newId(1)) + 2 * DAY),
  };
}
