import type { Logger } from 'pino';
import type { AuditTrail } from '../../actors/services/audit/audit-trail.ts';
import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';

export interface ReadNotesDeps {
  readonly audit: Pick<AuditTrail, 'recordAll'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Batches the audit entries of read-only calls, because each write costs more than the call itself. */
export interface ReadNotes {
  /** Resolves immediately or, if too many entries are waiting, after they have been written. */
  add(draft: AuditDraft): Promise<void>;
  flush(): Promise<void>;
}

const EVERY_MS = 1_000;
const MOST_WAITING = 200;

export function createReadNotes({ audit, clock, log }: ReadNotesDeps): ReadNotes {
  const waiting = new Map<string, AuditDraft[]>();
  let timer: Cancel | null = null;

  /**
   * If the store rejects the entries, up to `MOST_WAITING` of them are kept for the next attempt.
   */
  async function write(tenantId: string): Promise<void> {
    const drafts = waiting.get(tenantId) ?? [];
    waiting.delete(tenantId);
    try {
      if (drafts.length > 0) await audit.recordAll(tenantId, drafts);
    } catch (err) {
      const kept = [...drafts, ...(waiting.get(tenantId) ?? [])];
      log.warn({ event: 'audit.tool_calls_late', tenant: tenantId, calls: kept.length, err }, 'tool calls are not in the audit log yet');
      const lost = kept.length - MOST_WAITING;
      if (lost > 0)
        log.error({ event: 'audit.tool_calls_lost', tenant: tenantId, calls: lost }, 'tool calls are missing from the audit log');
      waiting.set(tenantId, kept.slice(-MOST_WAITING));
      wakeLater();
    }
  }

  async function flush(): Promise<void> {
    timer?.();
    timer = null;
    await Promise.all([...waiting.keys()].map(write));
  }

  function wakeLater(): void {
    timer ??= clock.after(EVERY_MS, () => {
      timer = null;
      void flush();
    });
  }

  return {
    async add(draft) {
      const drafts = waiting.get(draft.tenant_id) ?? [];
      drafts.push(draft);
      waiting.set(draft.tenant_id, drafts);
      if (drafts.length < MOST_WAITING) wakeLater();
      else await write(draft.tenant_id);
    },
    flush,
  };
}
