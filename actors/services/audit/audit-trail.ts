import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import { type Act, type WriteKind, withinAct } from '../../../store/audit/act-scope.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { AuditedCollection } from '../../../store/audit/audited-store.ts';
import type { AuditDraft } from '../../../store/audit/entry.ts';
import type { AuditIntents } from '../../../store/audit/intents.ts';

/**
 * Writes the audit log. Invariant: a change is never stored without its entry. To ensure this, the
 * entry is stored in the changed row itself, and moved to the log afterwards. For a command to the
 * network, an intent is stored first. After a crash, the intent becomes an entry with an unknown
 * outcome. Data: store/audit.
 */

export interface AuditTrailDeps {
  readonly auditLog: AuditLog;
  readonly intents: AuditIntents;
  readonly carriers: { process(collection: string, id: string): Promise<void>; processAll(): Promise<number> };
  failed(cause: unknown): void;
}

export interface CarriedBy {
  readonly collection: AuditedCollection;
  readonly kinds?: readonly WriteKind[];
}

export interface AuditTrail {
  /** Stores the entry together with the first write of `work` to the collection in `by`, if any. */
  act<T>(draft: AuditDraft, by: CarriedBy, work: () => Promise<T>): Promise<T>;
  command<T>(draft: AuditDraft, work: () => Promise<T>): Promise<T>;
  record(draft: AuditDraft): Promise<void>;
  recordAll(tenantId: string, drafts: readonly AuditDraft[]): Promise<void>;
  /** Records up to ten refusals of each kind per minute; further ones are only counted. */
  refused(draft: AuditDraft, code: string): Promise<void>;
  /** Moves stored entries to the log. Intents from before `until` get an unknown outcome. */
  recover(until: number): Promise<void>;
}

const ANY: readonly WriteKind[] = ['insert', 'update', 'delete'];
const TELLING: ReadonlySet<string> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'KEY_MANAGEMENT_REQUIRES_LOGIN',
  'STEP_UP_REQUIRED',
  'CANNOT_REVOKE_PRIMARY',
  'CONSENT_ATTESTATION_REQUIRED',
]);
const MINUTE_MS = 60_000;
const REFUSALS_PER_MINUTE = 10;
const REMEMBERED = 10_000;
const BATCH = 100;
const UNKNOWN = 'OUTCOME_UNKNOWN';

export function createAuditTrail({ auditLog, intents, carriers, failed }: AuditTrailDeps): AuditTrail {
  const floods = new RecentCache<string, { readonly since: number; readonly count: number }>(REMEMBERED);

  async function settle({ carriers: held }: Act): Promise<void> {
    try {
      for (const { collection, id } of held) await carriers.process(collection, id);
    } catch (cause) {
      failed(cause);
    }
  }

  function suppressedBefore({ tenant_id, action, actor, at }: AuditDraft): number | null {
    // The key omits the address, because an anonymous caller can use any number of addresses.
    const key = `${tenant_id} ${action} ${actor.id}`;
    const known = floods.get(key);
    const isOver = !known || at - known.since >= MINUTE_MS;
    const count = isOver ? 1 : known.count + 1;
    floods.set(key, { since: isOver ? at : known.since, count });
    if (isOver) return Math.max(0, (known?.count ?? 0) - REFUSALS_PER_MINUTE);
    return count <= REFUSALS_PER_MINUTE ? 0 : null;
  }

  async function refused(draft: AuditDraft, code: string): Promise<void> {
    if (!TELLING.has(code)) return;
    const suppressed = suppressedBefore(draft);
    if (suppressed === null) return;
    const changes = suppressed === 0 ? [] : [{ field: 'refused_before_and_not_listed', from: 0, to: suppressed }];
    await auditLog.append({ ...draft, result: 'refused', code, changes });
  }

  return {
    refused,

    async act(draft, { collection, kinds = ANY }, work) {
      const act: Act = { draft, collection, kinds, carriers: [] };
      try {
        return await withinAct(act, work);
      } finally {
        await settle(act);
      }
    },

    async command(draft, work) {
      await intents.begin(draft, draft.at);
      let entry: AuditDraft | null = draft;
      try {
        return await work();
      } catch (cause) {
        const code = cause instanceof Refusal ? cause.code : UNKNOWN;
        // After a timeout or a similar error, the outcome is unknown: the action may have been carried out.
        entry = cause instanceof Refusal && !/TIMEOUT|OVERLOADED|UNAVAILABLE/.test(code) ? null : { ...draft, code: UNKNOWN };
        if (entry === null) await refused(draft, code);
        throw cause;
      } finally {
        await (entry ? auditLog.append(entry) : Promise.resolve()).then(() => intents.end(draft.id)).catch(failed);
      }
    },

    record: (draft) => auditLog.append(draft),
    recordAll: (tenantId, drafts) => auditLog.appendAll(tenantId, drafts),

    async recover(until) {
      await carriers.processAll();
      for (const draft of await intents.left(until, BATCH)) {
        await auditLog.append({ ...draft, code: UNKNOWN });
        await intents.end(draft.id);
      }
    },
  };
}

export function systemDraft(
  tenantId: string,
  action: string,
  target: AuditDraft['target'],
  now: number,
  more: Partial<Pick<AuditDraft, 'actor' | 'auth' | 'address' | 'changes' | 'code' | 'result'>> = {},
): AuditDraft {
  return {
    id: newId(now),
    tenant_id: tenantId,
    at: now,
    actor: { kind: 'system', id: null, name: null },
    auth: null,
    address: null,
    request_id: null,
    action,
    target,
    result: 'ok',
    code: null,
    changes: [],
    ...more,
  };
}
