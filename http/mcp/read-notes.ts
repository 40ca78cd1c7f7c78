import type { Logger } from 'pino';
import type { AuditTrail } from '../../actors/services/audit/audit-trail.ts';
import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';

export interface ReadNotesDeps {
  readonly audit: Pick<AuditTrail, 'recordAll'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Audit entries of read-only calls, batched for up to a second because each write costs more than the call. */
export interface ReadNotes {
  /** Resolves at once, or after writing the waiting entries if there are too many. */
  add(draft: AuditDraft): Promise<void>;
  flush(): Promise<void>;
}

const EVERY_MS = 1_000;
const MOST_WAITING = 200;

export function createReadNotes({ audit, clock, log }: ReadNotesDeps): ReadNotes {
  const waiting = new Map<string, AuditDraft[]>();
  let timer: Cancel | null = null;

  /** Entries that the store did not accept are kept, up to the maximum that may wait. */
  async function write(tenantId: string): Promise<void> {
    const drafts = waiting.get(tenantId) ?? [];
    waiting.delete(tenantId);
    try {
      if (drafts.length > 0) await audit.recordAll(tenantId, drafts);
    } catch (err) {
      const kept = [...drafts, ...(waiting.get(tenantId) ?? [])];
      log.warn(
        { event: 'audit.tool_calls_late', tenant: tenantId, calls: kept.length, err },
        'tool calls did not get into the audit log yet',
      );
      const lost = kept.length - MOST_WAITING;
      if (lost > 0) log.error({ event: 'audit.tool_calls_lost', tenant: tenantId, calls: lost }, 'tool calls are missing in the audit log');
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
