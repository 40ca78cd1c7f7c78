import { CLAIM_MS, keepClaim } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import type { Sealer } from '../../../runtime/sealing/seal.ts';
import type { AiChats } from '../../../store/ai-reply/chats.ts';
import type { Unanswered } from '../../../store/ai-reply/unanswered.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { DraftReservations } from '../../../store/campaigns/draft-reservations.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { ImportFiles } from '../../../store/contacts/import-files.ts';
import { chatKey } from '../../../store/conversations/chats.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Doc, Filter } from '../../../store/port.ts';
import type { ErasureRow, Erasures } from '../../../store/privacy/erasures.ts';
import type { HoldRow, Holds } from '../../../store/privacy/holds.ts';
import { forget, mentions } from '../../../store/privacy/mentions.ts';
import { sweepTraces, TRACED } from '../../../store/privacy/traces.ts';
import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { StoreHooks } from '../../../store/store-links/hooks.ts';
import { CHANGED_MEANWHILE, refusal } from '../../domain/refusals.ts';
import type { EventLog } from '../events/event-log.ts';
import type { MediaLibrary } from '../media/library.ts';
import { type CancelDeps, cancelIfWaiting } from '../messaging/cancel.ts';
import { heldUntil } from './held-until.ts';
import { opened, type Person, type PersonDeps, personFinder } from './person.ts';
import { takeTurns } from './round-robin.ts';
import { eraseFilesOf } from './sent-files.ts';

/**
 * Erases a person in steps, in a fixed order. Each step can be repeated. Progress and claims are in
 * `privacy_erasures`. A legal hold blocks the erasure. After a crash, another process continues at
 * the step that is stored.
 */

export interface ErasureDeps extends PersonDeps, CancelDeps {
  readonly erasures: Erasures;
  readonly holds: Pick<Holds, 'of'>;
  readonly consents: Pick<Consents, 'forget'>;
  readonly devices: Pick<Devices, 'list' | 'everIds' | 'removedIds'>;
  readonly reservations: Pick<DraftReservations, 'reserved'>;
  readonly hooks: Pick<StoreHooks, 'pending' | 'remove'>;
  readonly importFiles: Pick<ImportFiles, 'removeWritten'>;
  readonly unanswered: Pick<Unanswered, 'removePerson'>;
  readonly aiChats: Pick<AiChats, 'removePerson'>;
  readonly media: Pick<MediaLibrary, 'erase'>;
  readonly auditLog: Pick<AuditLog, 'erasePerson'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  removeExports(tenantId: string): Promise<{ readonly removed: number; readonly isBusy: boolean }>;
  failed(cause: unknown): void;
}

/** Result of a step. `isBusy`: data was in use, so the step must run again. */
interface Done {
  readonly counts?: Readonly<Record<string, number>>;
  readonly isBusy?: boolean;
}

type Step = (deps: ErasureDeps, who: Person, now: number) => Promise<Done>;

const MAX_OPEN = 1_000;
const PARALLEL = 4;
const HELD_MS = 60_000;

const STEP_OF: Readonly<Record<string, Step>> = {
  scheduled: forgetSends('scheduled'),
  recurring: forgetSends('recurring'),
  messages: forgetMessages,
  campaign_recipients: forgetRecipients,
  events: forgetEvents,
  contacts: forgetContacts,
};

/**
 * Steps of an erasure. Identities are last, because the other steps need them. An erasure stores
 * how many steps it has completed, so new steps must be added at the end.
 */
export const STEPS: readonly (readonly [name: string, step: Step])[] = [
  ['consent', forgetConsent],
  ...TRACED.map((name) => [name, STEP_OF[name] ?? forgetTraces(name)] as const),
  ['files', forgetFiles],
  ['waiting webhooks of stores', forgetWaitingHooks],
  ['purchases', forgetPurchases],
  ['imports', forgetImports],
  ['questions', forgetQuestions],
  // Any export may contain the person, for example because others mention them.
  ['exports', forgetExports],
  [
    'audit',
    async ({ auditLog }, { tenantId, subjects, needles, until }) => ({
      counts: { audit: await auditLog.erasePerson(tenantId, [...new Set([...subjects, ...needles])], until) },
    }),
  ],
  [
    'identities',
    async ({ collections }, { tenantId: tenant_id, phone, numbers, addresses }) => {
      const identities = opened(collections, 'identities');
      // The person's addresses are also deleted if they were split from another person's number.
      const own = { _id: { $in: addresses.map((address) => `${tenant_id}:${address}`) } };
      const { deletedCount } = await identities.deleteMany({ tenant_id, $or: [{ phone }, own] });
      const named = { tenant_id, contradicted: true, other: { $in: numbers } };
      await identities.updateMany(named, { $set: { other: '', contradicted: false } });
      return { counts: { identities: deletedCount } };
    },
  ],
  ['gathered recipients', forgetGathered],
];

async function forgetConsent({ consents }: ErasureDeps, { tenantId, numbers, subjects, until }: Person): Promise<Done> {
  const kept = numbers.length > 0 ? numbers : subjects;
  return { counts: { consents: await consents.forget(tenantId, kept, subjects, until) } };
}

function forgetTraces(name: string): Step {
  return async ({ collections }, who) => {
    const { removed, isBusy } = await sweepTraces(opened(collections, name), name, who);
    return { counts: { [name]: removed }, isBusy };
  };
}

function forgetSends(name: string): Step {
  return async (deps, who) => {
    let files = 0;
    const { removed, isBusy } = await sweepTraces(opened(deps.collections, name), name, who, async (row) => {
      files += await eraseFilesOf(deps, who, row);
      return true;
    });
    return { counts: { [name]: removed, media: files }, isBusy };
  };
}

/** Waits while recipients are being stored. A dead process's reservation expires. */
async function forgetRecipients(deps: ErasureDeps, who: Person, now: number): Promise<Done> {
  if ((await deps.reservations.reserved(who.tenantId, now)).recipients > 0) return { isBusy: true };
  return forgetTraces('campaign_recipients')(deps, who, now);
}

async function forgetGathered({ collections }: ErasureDeps, who: Person): Promise<Done> {
  const campaigns = opened(collections, 'campaigns');
  const { tenantId: tenant_id } = who;
  const reading = { tenant_id, status: 'running', gathering: { $ne: null } };
  if ((await campaigns.countDocuments(reading, { limit: 1 })) > 0) return { isBusy: true };
  const ids = (await campaigns.find({ tenant_id, audience: { $ne: null } }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  const late = { ...who, campaigns: ids, until: Number.MAX_SAFE_INTEGER };
  const { removed } = await sweepTraces(opened(collections, 'campaign_recipients'), 'campaign_recipients', late);
  return { counts: { campaign_recipients: removed } };
}

/** Waits for running imports to finish, because they could add the person again. */
async function forgetContacts(deps: ErasureDeps, who: Person, now: number): Promise<Done> {
  return (await isImporting(deps, who)) ? { isBusy: true } : forgetTraces('contacts')(deps, who, now);
}

const isImporting = async ({ collections }: ErasureDeps, { tenantId, until }: Person): Promise<boolean> =>
  (await opened(collections, 'jobs').countDocuments({ tenant_id: tenantId, open: true, created_at: { $lte: until } }, { limit: 1 })) > 0;

const SETTLED_WITHIN_MS = 5 * 60_000;

/** Gives up messages in `sending` if their device will stay offline. */
async function giveUpOnTheWire({ devices, messages }: ErasureDeps, { tenantId, needles, until }: Person, now: number): Promise<void> {
  for (const { _id, wanted } of await devices.list(tenantId, null)) {
    const left = wanted ? [] : await messages.onTheWire(_id, now - SETTLED_WITHIN_MS);
    for (const row of left) if (row.created_at <= until && mentions(row, needles)) await messages.giveUp(row);
  }
}

/** Cancels queued messages and refunds quota. Messages are removed after their outbox is processed. */
async function forgetMessages(deps: ErasureDeps, who: Person, now: number): Promise<Done> {
  const { collections } = deps;
  const { tenantId } = who;
  const chats = opened(collections, 'chats');
  let files = 0;
  await giveUpOnTheWire(deps, who, now);
  const messages = opened(collections, 'messages');
  const before = async (row: Doc & Readonly<Record<string, unknown>>): Promise<boolean> => {
    if (row['status'] === 'queued') {
      await cancelIfWaiting(deps, { _id: String(row['session_id']), tenant_id: tenantId }, row._id, now);
      return false;
    }
    // Retention, a user, or an attempt before a crash may have removed the file already.
    files += await eraseFilesOf(deps, who, row);
    await chats.updateOne(previewOf(row), { $set: { last_message: null } });
    return true;
  };
  const { removed, isBusy } = await sweepTraces(messages, 'messages', who, before, async (row, names) => {
    const chat = await chats.findOne(previewOf(row));
    if (!chat || !('last_message' in chat) || typeof chat.last_message !== 'string') return;
    await chats.updateOne(previewOf(row), { $set: { last_message: forget(chat.last_message, who.needles, names) } });
  });
  return { counts: { messages: removed, media: files }, isBusy };
}

const previewOf = (row: Doc & Readonly<Record<string, unknown>>): Filter => ({
  _id: chatKey(String(row['session_id']), String(row['chat_id'])),
  last_message_id: row._id,
});

/** If a process died before it woke the tenant for these events, wakes the tenant. */
async function forgetEvents(deps: ErasureDeps, who: Person, now: number): Promise<Done> {
  const done = await forgetTraces('events')(deps, who, now);
  if (done.isBusy) await deps.wakeups.put(who.tenantId, now);
  return done;
}

async function forgetFiles({ collections, media }: ErasureDeps, { tenantId, addresses, until }: Person): Promise<Done> {
  const filter = { tenant_id: tenantId, chat_id: { $in: addresses }, created_at: { $lte: until } };
  const files = await opened(collections, 'media').find(filter).toArray();
  for (const { _id } of files) await media.erase(tenantId, _id);
  return { counts: { media: files.length } };
}

async function forgetWaitingHooks({ hooks, sealer }: ErasureDeps, { links, needles, until }: Person): Promise<Done> {
  let store_hooks = 0;
  for (const linkId of links)
    for await (const { _id, body, created_at } of hooks.pending(linkId)) {
      if (!body || created_at > until || !mentions(sealer.open(linkId, 'store webhook', body), needles)) continue;
      if (await hooks.remove(_id)) store_hooks += 1;
    }
  return { counts: { store_hooks } };
}

async function forgetPurchases({ collections, sealer }: ErasureDeps, { links, numbers }: Person): Promise<Done> {
  let purchases = 0;
  for (const link_id of links) {
    const filter = { link_id, phone_key: { $in: numbers.map((phone) => sealer.keyedHash(link_id, phone)) } };
    purchases += (await opened(collections, 'store_memory').deleteMany(filter)).deletedCount;
  }
  return { counts: { purchases } };
}

/** Removes all import files, because chunks may split a number, and errors, because they quote files. */
async function forgetImports(deps: ErasureDeps, who: Person): Promise<Done> {
  if (await isImporting(deps, who)) return { isBusy: true };
  const { tenantId: tenant_id, until } = who;
  const over = { tenant_id, kind: 'import', open: false, created_at: { $lte: until } };
  await opened(deps.collections, 'jobs').updateMany(over, { $set: { errors: [] } });
  return { counts: { import_files: await deps.importFiles.removeWritten(who.tenantId, who.until) } };
}

async function forgetExports({ removeExports }: ErasureDeps, { tenantId }: Person): Promise<Done> {
  const { removed, isBusy } = await removeExports(tenantId);
  return { counts: { exports: removed }, isBusy };
}

async function forgetQuestions({ unanswered, aiChats }: ErasureDeps, { tenantId, addresses }: Person): Promise<Done> {
  const [questions, ai_chats] = [await unanswered.removePerson(tenantId, addresses), await aiChats.removePerson(tenantId, addresses)];
  return { counts: { questions, ai_chats } };
}

export interface Erasing {
  /** Resolves when the erasure is stored. Fails with CONFLICT (legal hold) or LIMIT_REACHED. */
  begin(tenantId: string, phone: string, now: number): Promise<ErasureRow>;
  continueAll(now: number): Promise<void>;
  hashOf(tenantId: string, phone: string): string;
}

export function createErasing(deps: ErasureDeps, steps = STEPS): Erasing {
  const { erasures, holds, sealer, eventLog } = deps;
  const about = (id: string): string => `erasure ${id}`;
  const hashOf = (tenantId: string, phone: string): string => sealer.keyedHash(tenantId, phone);

  const findPerson = personFinder(deps);
  const personOf = ({ _id, tenant_id, subject, created_at }: ErasureRow): Promise<Person> =>
    findPerson(tenant_id, sealer.open(tenant_id, about(_id), subject ?? ''), created_at);

  async function finish(row: ErasureRow, now: number): Promise<void> {
    const { _id, tenant_id, phone_hash, created_at, counts } = row;
    const data = { request_id: _id, phone_hash };
    await eventLog.record(tenant_id, [{ session_id: null, type: 'privacy.erased', row: about(_id), occurred_at: now, data }]);
    await erasures.finish(row, now, sealer.keyedHash(tenant_id, JSON.stringify([_id, phone_hash, created_at, now, counts])));
  }

  async function step(tenantId: string, now: number): Promise<boolean> {
    const row = await erasures.claim(tenantId, now, Math.max(now, deps.clock.now()) + CLAIM_MS);
    if (!row) return false;
    const endClaim = keepClaim({ clock: deps.clock, renew: erasures.renew }, row);
    await goOn(row, endClaim, now).catch(deps.failed).finally(endClaim);
    return true;
  }

  async function goOn(row: ErasureRow, endClaim: () => Promise<ErasureRow>, now: number): Promise<void> {
    const who = await personOf(row);
    const hold = await holdOf(row.tenant_id, who.subjects, now);
    if (hold) return erasures.release(await endClaim(), Math.min(hold.until, now + HELD_MS));
    const doStep = steps[row.step]?.[1];
    if (!doStep) return finish(await endClaim(), now);
    const { counts = {}, isBusy } = await doStep(deps, who, now);
    const sums = { ...row.counts };
    for (const [what, count] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + count;
    const held = await endClaim();
    if (isBusy) return erasures.release(held, now + 1, sums);
    await erasures.advance(held, sums, now);
  }

  async function holdOf(tenantId: string, subjects: readonly string[], now: number): Promise<HoldRow | null> {
    for (const subject of subjects) {
      const hold = await holds.of(tenantId, hashOf(tenantId, subject), now);
      if (hold) return hold;
    }
    return null;
  }

  async function refuseHeld(tenantId: string, subjects: readonly string[], now: number): Promise<void> {
    const hold = await holdOf(tenantId, subjects, now);
    if (hold) throw refusal('CONFLICT', { reason: heldUntil(hold) });
  }

  async function platformIds(tenant_id: string, lids: readonly string[]): Promise<readonly string[]> {
    const people = opened(deps.collections, 'official_people');
    const rows = await people.find({ tenant_id, alias: { $in: [...lids] } }).toArray();
    return rows.flatMap((row) => ('user_id' in row && typeof row.user_id === 'string' ? [row.user_id] : []));
  }

  const turns = takeTurns(step, PARALLEL, deps.failed);

  return {
    hashOf,

    async begin(tenantId, asked, now) {
      const { phone, subjects, lids } = await findPerson(tenantId, asked, now);
      const phone_hash = hashOf(tenantId, phone);
      await refuseHeld(tenantId, subjects, now);
      const _id = newId(now);
      const row: ErasureRow = {
        _id,
        tenant_id: tenantId,
        subject: sealer.seal(tenantId, about(_id), phone),
        phone_hash,
        hashes: [...subjects, ...(await platformIds(tenantId, lids))].map((one) => hashOf(tenantId, one)),
        open: true,
        step: 0,
        claimed_until: 0,
        counts: {},
        created_at: now,
        done_at: null,
        proof: null,
      };
      if (!(await erasures.prepare(row, MAX_OPEN))) throw refusal('LIMIT_REACHED');
      try {
        // Check again. If a legal hold is placed after this check, the hold finds the erasure already started.
        await refuseHeld(tenantId, subjects, now);
      } catch (cause) {
        await erasures.discard(row);
        throw cause;
      }
      if (!(await erasures.begin(row))) throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
      return row;
    },

    async continueAll(now) {
      await turns.run(await erasures.waiting(now), now);
    },
  };
}
