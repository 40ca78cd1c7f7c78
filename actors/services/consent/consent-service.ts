import { inChunks } from '../../../runtime/in-chunks.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ConsentRow, ConsentSource, ConsentStatus, OutboxEntry } from '../../../store/consent/consent-row.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import { addressOf } from '../../network/subject.ts';
import type { EventLog } from '../events/event-log.ts';
import { person } from '../events/message-events.ts';
import type { Draft } from '../events/types.ts';
import { forEachTenant } from '../operations/each-tenant.ts';

/**
 * Manages each person's consent and the consequences of a change: queued marketing is cancelled,
 * the history and an event are written, and the person gets a confirmation. Invariant: a change is
 * stored with its outbox in one row (store/consent/consents.ts), so that a crash cannot lose any
 * consequence. An import never overrides a person's own opt-out.
 */

export interface ConsentChange {
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly at: number;
  /** The import batch, stored so that an opt-out that the import lifts is counted only once. */
  readonly batch?: string;
}

/** `cause`: the message that states the change. `sessionId`: its device, which sends the confirmation. */
export interface StatedConsentChange extends ConsentChange {
  readonly cause: string;
  readonly sessionId?: string;
  readonly saidAt?: number;
}

export interface ConsentServiceDeps {
  readonly consents: Consents;
  readonly eventLog: Pick<EventLog, 'record'>;
  cancelMarketing(tenantId: string, chats: readonly string[]): Promise<void>;
  /** Called after an opt-out, so that devices with many complaints can be slowed down. */
  complained(tenantId: string): Promise<void>;
  confirm(row: ConsentRow, entry: OutboxEntry): Promise<void>;
}

export interface ConsentService {
  set(tenantId: string, subject: string, change: ConsentChange): Promise<{ readonly row: ConsentRow; readonly changed: boolean }>;
  /** Skips people whose consent changed after `asked`, because the request may run late or repeatedly. */
  setAll(
    tenantId: string,
    people: readonly string[],
    change: ConsentChange,
    asked?: number,
  ): Promise<{ readonly changed: number; readonly lifted: number }>;
  /** Handles one message. Ignores an opt-in older than the last change. Idempotent per message. */
  receive(tenantId: string, subject: string, said: StatedConsentChange): Promise<void>;
  /** Merges two addresses. An opt-out stays, unless the person opted in by keyword after `knownSince`. */
  merge(tenantId: string, from: string, phone: string, knownSince: number): Promise<void>;
  /** When a number moves to another person, applies an opt-out of `from` to `to`. */
  share(tenantId: string, from: string, to: string): Promise<void>;
  processOutbox(until: number): Promise<void>;
}

const OUTBOX_BATCH_SIZE = 500;
/** Writes per batch, few enough for the writes of other tenants to run in between. */
const SETTLED_BATCH_SIZE = 50;
/** Maximum number of confirmations per hour. More would mean that two machines talk to each other. */
const MAX_CONFIRMED = 3;
const HOUR_MS = 3_600_000;

export function createConsentService({ consents, eventLog, cancelMarketing, complained, confirm }: ConsentServiceDeps): ConsentService {
  /** Handles the most important consequences first. Each step is idempotent. */
  async function processOutbox(rows: readonly ConsentRow[]): Promise<void> {
    for (const [tenantId, own] of Map.groupBy(rows, ({ tenant_id }) => tenant_id)) {
      const out = own.filter(({ status }) => status === 'opted_out');
      if (out.length > 0)
        await cancelMarketing(
          tenantId,
          out.map(({ subject }) => addressOf(subject)),
        );
      if (out.some(({ outbox }) => outbox.some(({ status, was }) => status === 'opted_out' && was !== status))) await complained(tenantId);
      await consents.remember(own);
      await eventLog.record(tenantId, own.flatMap(eventsOf), { again: true });
    }
    for (const row of rows) for (const entry of row.outbox) if (entry.confirm) await confirm(row, entry);
    await consents.outboxProcessed(rows);
  }

  async function settleAll(rows: readonly ConsentRow[]): Promise<void> {
    for (const some of inChunks(rows, SETTLED_BATCH_SIZE)) await processOutbox(some);
  }

  return {
    async set(tenantId, subject, change) {
      const [row] = await consents.change(tenantId, [subject], (_who, before) => changedBy(tenantId, subject, before, change));
      if (!row) throw new Error('a consent change that always applies was not stored');
      await processOutbox([row]);
      return { row, changed: at(row.outbox, -1).was !== change.status };
    },

    async setAll(tenantId, people, change, asked = Number.POSITIVE_INFINITY) {
      const rows = await consents.change(tenantId, [...new Set(people)], (subject, before) =>
        before && (before.status === change.status || isLater(before, change, asked) || liftsKept(before, change))
          ? null
          : changedBy(tenantId, subject, before, change),
      );
      await settleAll(rows);
      const lifted = rows.filter(({ status, outbox }) => status === 'opted_in' && outbox.at(-1)?.was === 'opted_out').length;
      return { changed: rows.length, lifted };
    },

    async receive(tenantId, subject, said) {
      const [row] = await consents.change(tenantId, [subject], async (_who, before) => {
        // Read the history after the record: a cause enters the history before it leaves the outbox.
        const isKnown = before !== null && (await consents.wasCausedBy(tenantId, subject, said.cause)) !== null;
        const isIgnored = isKnown || isTooLate(before, said) || isOfOthers(before, said) || isOfErased(before, said);
        return isIgnored ? null : changedBy(tenantId, subject, before, said);
      });
      const withOutbox = row ?? (await consents.find(tenantId, subject));
      if (withOutbox?.outbox_pending) await processOutbox([withOutbox]);
    },

    async merge(tenantId, from, phone, knownSince) {
      for (let other = await consents.find(tenantId, from); other !== null; other = await consents.find(tenantId, from)) {
        if (other.outbox_pending) await processOutbox([other]);
        const { status, source, note, updated_at: at, _id, seq } = other;
        const said = { status, source, note, at, cause: `${_id}#${seq}`, saidAt: lastSaidOf(other) };
        await processOutbox(
          await consents.change(tenantId, [phone], (_who, before) => takenIn({ tenantId, phone, knownSince }, before, said)),
        );
        // Keep an erased person's opt-out under the number, because it can be found only there.
        if (source === 'privacy_erasure') return;
        await consents.moveHistory(other, phone, said.cause);
        if (await consents.remove(other)) return;
      }
    },

    async share(tenantId, from, to) {
      const kept = await consents.find(tenantId, from);
      if (kept?.status !== 'opted_out') return;
      const { status, source, note, updated_at: at, _id, seq } = kept;
      const said = { status, source, note, at, cause: `${_id}#${seq}`, saidAt: lastSaidOf(kept) };
      await settleAll(
        await consents.change(tenantId, [to], (_who, before) =>
          before?.status === 'opted_out' ? null : changedBy(tenantId, to, before, said),
        ),
      );
    },

    processOutbox: (until) =>
      forEachTenant(OUTBOX_BATCH_SIZE, (limit, withoutTenants) => consents.withOutbox(until, limit, withoutTenants), processOutbox),
  };
}

interface Taking {
  readonly tenantId: string;
  readonly phone: string;
  readonly knownSince: number;
}

function takenIn({ tenantId, phone, knownSince }: Taking, before: ConsentRow | null, said: StatedConsentChange): ConsentRow | null {
  const taken = (): ConsentRow => changedBy(tenantId, phone, before, said);
  if (before === null) return taken();
  const [other, here] = [saidAtOf(said), lastSaidOf(before)];
  if (said.status === before.status) return other > here ? taken() : null;
  const lifts = (agreed: { readonly source: ConsentSource }, at: number, outAt: number): boolean =>
    agreed.source === 'keyword' && at > outAt && at > knownSince;
  return said.status === 'opted_out' ? (lifts(before, here, other) ? null : taken()) : lifts(said, other, here) ? taken() : null;
}

/** Whether a later statement overrules this opt-in. An opt-out applies however late it arrives. */
const isTooLate = (before: ConsentRow | null, said: StatedConsentChange): boolean =>
  before !== null && said.status === 'opted_in' && saidAtOf(said) < lastSaidOf(before);

/** Whether to ignore an opt-in. One from the network's app lifts only an opt-out from that app. */
const isOfOthers = (before: ConsentRow | null, said: StatedConsentChange): boolean =>
  said.source === 'network' &&
  said.status === 'opted_in' &&
  (before?.status !== 'opted_out' || before.source !== 'network' || saidAtOf(said) <= lastSaidOf(before));

/** Whether to ignore an erased person's repeated opt-out. A new record would name the person. */
const isOfErased = (before: ConsentRow | null, said: StatedConsentChange): boolean =>
  said.source === 'network' && before?.source === 'privacy_erasure' && before.status === said.status;

const saidAtOf = ({ saidAt, at }: Pick<StatedConsentChange, 'saidAt' | 'at'>): number => saidAt ?? at;
const lastSaidOf = ({ said_at, updated_at }: ConsentRow): number => said_at ?? updated_at;

function changedBy(tenant_id: string, subject: string, before: ConsentRow | null, change: ConsentChange | StatedConsentChange): ConsentRow {
  const { status, source, note, at, batch = null } = change;
  const said = 'cause' in change ? change : null;
  const seq = (before?.seq ?? 0) + 1;
  const recent = before && at - before.confirmed.since < HOUR_MS ? before.confirmed : { since: at, count: 0 };
  const confirms = said?.sessionId !== undefined && recent.count < MAX_CONFIRMED;
  const entry: OutboxEntry = {
    status,
    source,
    note,
    at,
    seq,
    was: before?.status ?? null,
    ...(said && { cause: said.cause, confirm: confirms }),
    ...(said?.sessionId !== undefined && { session_id: said.sessionId }),
  };
  return {
    _id: `${tenant_id}:${subject}`,
    tenant_id,
    subject,
    status,
    ...shownOf(before, change),
    created_at: before?.created_at ?? at,
    updated_at: at,
    said_at: Math.max(said ? saidAtOf(said) : at, before ? lastSaidOf(before) : 0),
    seq,
    outbox: [...(before?.outbox ?? []), entry],
    outbox_pending: true,
    confirmed: confirms ? { since: recent.since, count: recent.count + 1 } : recent,
    lifted_by: before?.status === 'opted_out' && status === 'opted_in' ? batch : null,
    own: status === 'opted_out' && (!LIFTABLE.has(source) || (before !== null && isKept(before))),
  };
}

/**
 * Keeps the original source if the network repeats an opt-out, or if an import or the API reports
 * one for a person who had opted out themselves.
 */
function shownOf(before: ConsentRow | null, { status, source, note }: ConsentChange): Pick<ConsentRow, 'source' | 'note'> {
  const isSaid = source === 'network' ? before?.status === 'opted_out' : LIFTABLE.has(source);
  const isRepeated = before !== null && status === 'opted_out' && isSaid && (source === 'network' || isKept(before));
  if (!isRepeated || before.source === 'privacy_erasure') return { source, note };
  return { source: before.source, note: note ?? before.note };
}

/** Opt-outs from these sources came from a list, so another list may lift them. */
const LIFTABLE: ReadonlySet<ConsentSource> = new Set(['import', 'api']);

/** Whether the person opted out themselves, which only they or a change of this record can undo. */
const isKept = ({ status, source, own }: ConsentRow): boolean => status === 'opted_out' && (own ?? !LIFTABLE.has(source));

const liftsKept = (before: ConsentRow, { status, source }: ConsentChange): boolean =>
  source === 'import' && status === 'opted_in' && isKept(before);

/** Whether consent changed after `asked`. If an import has both states for a person, the opt-out wins. */
function isLater(before: ConsentRow, { status, source }: ConsentChange, asked: number): boolean {
  const isOfImports = source === 'import' && before.source === 'import';
  return isOfImports ? status === 'opted_in' && before.updated_at >= asked : before.updated_at > asked;
}

function eventsOf({ _id, subject, outbox }: ConsentRow): readonly Draft[] {
  return outbox
    .filter(({ status, was }) => status !== was)
    .map(({ status, was, source, at, seq, session_id = null }) => ({
      session_id,
      type: 'consent.changed',
      row: `consent ${_id}#${seq}`,
      occurred_at: at,
      data: { ...person(addressOf(subject)), status, previous: was, source },
    }));
}
