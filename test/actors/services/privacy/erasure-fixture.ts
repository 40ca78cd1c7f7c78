import assert from 'node:assert/strict';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { createFormsOf } from '../../../../actors/services/identities/forms.ts';
import { createMediaLibrary, type MediaLibrary } from '../../../../actors/services/media/library.ts';
import { createMediaQuota } from '../../../../actors/services/media/media-quota.ts';
import { createErasing, type Erasing, type ErasureDeps, STEPS } from '../../../../actors/services/privacy/erasure.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { replacingStore } from '../../../../scripts/faults/replacing-store.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { aiChatsIn } from '../../../../store/ai-reply/chats.ts';
import { unansweredIn } from '../../../../store/ai-reply/unanswered.ts';
import { auditLogIn } from '../../../../store/audit/audit-log.ts';
import { draftReservationsIn } from '../../../../store/campaigns/draft-reservations.ts';
import { consentsIn } from '../../../../store/consent/consents.ts';
import { importFilesIn } from '../../../../store/contacts/import-files.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { type MediaBytes, mediaIn } from '../../../../store/media/media.ts';
import { mediaUsageIn } from '../../../../store/media/media-usage.ts';
import { openUploadLinksIn } from '../../../../store/media/upload-links.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../../../../store/port.ts';
import { type Erasures, erasuresIn } from '../../../../store/privacy/erasures.ts';
import { holdsIn } from '../../../../store/privacy/holds.ts';
import { mentions } from '../../../../store/privacy/mentions.ts';
import { wakeupsIn } from '../../../../store/scheduling/wakeups.ts';
import { storeHooksIn } from '../../../../store/store-links/hooks.ts';
import { storeLinksIn } from '../../../../store/store-links/links.ts';
import { type Gateway, PHONE } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

export const DORA = '6281244440004';
const NEEDLES = new Set([DORA, `0${DORA.slice(2)}`]);

/** A store that remembers every collection that was opened. */
export function remembering(kind: StoreKind) {
  const opened = new Map<string, Collection<Doc>>();
  const fresh = async (scope: Scope): Promise<Store> => {
    const store = await kind.fresh(scope);
    const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
      const found = store.collection<T>(spec);
      opened.set(spec.name, found as unknown as Collection<Doc>);
      return found;
    };
    return new Proxy(store, {
      get(target, name) {
        if (name === 'collection') return collection;
        const member = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  /** Collections in which the number stands, with how many rows. */
  const traces = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    for (const [name, collection] of opened) {
      const rows = (await collection.find({}).toArray()).filter((row) => mentions(row, NEEDLES));
      if (rows.length > 0) found[name] = rows.length;
    }
    return found;
  };
  return { kind: { name: kind.name, fresh }, opened, traces };
}

/** Dora does, and has done to her, whatever leaves a trace. */
export async function lived(gateway: Gateway, webhook: string) {
  const tenant = await gateway.signUp();
  const { api } = tenant;
  const device = await tenant.linked(PHONE);
  const post = async (path: string, body: object, headers?: Readonly<Record<string, string>>) => {
    const answer = await gateway.during(api('POST', path, body, headers));
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const events = ['message.received', 'message.sent', 'consent.changed'];
  await post('/v1/webhooks', { url: webhook, secret: 'a secret that only the two of us know', events });
  await post('/v1/ai-reply/answers', { question: 'Are you open?', answer: 'Every day.' });
  await api('PUT', '/v1/ai-reply', { enabled: true });
  await post(`${device.path}/auto-reply`, { name: 'hi', trigger_type: 'any', reply_body: 'Hello', cooldown_ms: 60_000 });
  await post('/v1/contacts', { phone: `+${DORA}`, name: 'Dora' });
  sandboxVerbs(gateway.sandbox).write(DORA, { to: PHONE, type: 'document', file: { base64: 'RG9yYQ==', filename: 'dora.txt' } });
  gateway.sandbox.phone(DORA).write({ to: PHONE, content: { type: 'text', body: 'my secret question about pangolins' } });
  await received(gateway, api, device.path, 2);
  const id = await device.text(DORA, 'An answer');
  await gateway.until('it is sent', async () => ['sent', 'delivered', 'read'].includes((await device.message(id)).status));
  await device.text('6281255550005', `ask Dora, +${DORA}`);
  await post(`${device.path}/messages`, { chat_id: DORA, type: 'text', body: 'once' }, { 'idempotency-key': 'k1' });
  await post(`${device.path}/scheduled`, { chat_id: DORA, type: 'text', body: 'later', scheduled_at: gateway.clock.now() + 86_400_000 });
  const recurring = { name: 'news', message: 'Hi', schedule_type: 'daily', timezone: 'Asia/Jakarta' };
  const both = await post(`${device.path}/recurring`, { ...recurring, targets: [`+${DORA}`, '+6281255550005'] });
  await post(`${device.path}/recurring`, { ...recurring, targets: [`+${DORA}`] });
  const campaign = { session_id: device.id, name: 'n', message_type: 'text', body: 'Hi' };
  await post('/v1/blasts', { ...campaign, recipients: [{ phone: `+${DORA}`, name: 'Dora' }, { phone: '+6281255550005' }] });
  const rules = { all: [{ field: 'phone', op: 'is', value: `+${DORA}` }] };
  await post('/v1/segments', { name: 'her', rules });
  const imported = await post('/v1/contacts/import', { rows: [{ phone: `+${DORA}` }, { phone: 'not a number' }] });
  await gateway.until('the import is over', async () => (await api('GET', `/v1/contacts/imports/${imported.id}`)).body.status === 'done');
  await api('PUT', `/v1/consent/+${DORA}`, { status: 'opted_in' });
  await gateway.clock.advance(5_000);
  return { tenant, api, device, both };
}

/** So many messages of hers have come in. */
export const received = (gateway: Gateway, api: Gateway['api'], path: string, many: number) =>
  gateway.until('she is received', async () => {
    const { messages } = (await api('GET', `${path}/messages?direction=inbound&chat_id=${DORA}`)).body;
    return messages.length >= many;
  });

export const sealer = createSealer([{ id: 'k1', bytes: Buffer.alloc(32, 1) }]);

const NOWHERE: MediaBytes = {
  write: async () => {},
  read: async () => null,
  remove: async () => {},
  list: async () => [],
  discard: async () => {},
};

/** The files of all tenants, as one process sees them. */
export const libraryOn = (store: Store, bytes: MediaBytes): MediaLibrary =>
  createMediaLibrary({
    rows: mediaIn(store),
    bytes,
    direct: null,
    links: openUploadLinksIn(store),
    dropDerived: async () => {},
    quota: createMediaQuota({ usage: mediaUsageIn(store), limitOf: async () => Number.MAX_SAFE_INTEGER, now: () => 0 }),
    now: () => 0,
  });

const noExports: ErasureDeps['removeExports'] = async () => ({ removed: 0, isBusy: false });

interface ErasingOptions {
  /** Told of each tenant of whom somebody was erased. */
  readonly record?: (tenantId: string) => Promise<void>;
  /** Default: no file has any. */
  readonly bytes?: MediaBytes;
  /** Default: there are none. */
  readonly removeExports?: ErasureDeps['removeExports'];
  /** The name of a step that is left out. */
  readonly without?: string;
}

/** One process's erasing. */
export function erasingOn(
  store: Store,
  names: Iterable<string>,
  auditKey: Buffer,
  { record = async () => {}, bytes = NOWHERE, removeExports = noExports, without }: ErasingOptions = {},
): { readonly erasing: Erasing; readonly erasures: Erasures } {
  const erasures = erasuresIn(store);
  const collections = new Map<string, Collection<Doc>>();
  for (const name of names) collections.set(name, store.collection({ name, indexes: [] }));
  const deps: ErasureDeps = {
    erasures,
    holds: holdsIn(store),
    consents: consentsIn(store, (tenantId, subject) => sealer.keyedHash(tenantId, subject)),
    formsOf: createFormsOf(identitiesIn(store)),
    devices: devicesIn(store),
    links: storeLinksIn(store),
    reservations: draftReservationsIn(store),
    hooks: storeHooksIn(store),
    importFiles: importFilesIn(store),
    unanswered: unansweredIn(store),
    aiChats: aiChatsIn(store),
    media: libraryOn(store, bytes),
    auditLog: auditLogIn(store, auditKey),
    eventLog: { record },
    wakeups: wakeupsIn(store),
    messages: messagesIn(store),
    usage: usageIn(store),
    sending: { hint: () => undefined },
    removeExports,
    sealer,
    collections,
    // Of a process that is killed before one of its timers is due.
    clock: { now: () => 0, after: () => () => {} },
    failed: () => {},
  };
  const erasing = createErasing(
    deps,
    STEPS.filter(([name]) => name !== without),
  );
  return { erasing, erasures };
}

/** A store in which nobody gets to the end of the segments, as if there were very many, until they are let go. `begun`: somebody is at it. */
export function endlessSegments() {
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = (store: Store): Store =>
    replacingStore(store, (name, raw) => ({
      find(...asked) {
        const cursor = raw.find(...asked);
        if (name !== 'segments') return cursor;
        return {
          toArray: () => cursor.toArray(),
          async *[Symbol.asyncIterator]() {
            begun.resolve();
            await mayEnd.promise;
            yield* cursor;
          },
        };
      },
    }));
  return { over, begun: begun.promise, letGo: () => mayEnd.resolve() };
}
