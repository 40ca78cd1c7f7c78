import { isSpoken } from '../../../store/messaging/content-kinds.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { subjectOf } from '../../network/subject.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import type { ConsentMatchers, MatchConsent } from './config.ts';
import type { ConsentService } from './consent-service.ts';
import { type MergeKnownDeps, mergeKnown } from './merge-known.ts';

export interface ConsentReplyDeps extends MergeKnownDeps {
  readonly consentService: Pick<ConsentService, 'receive' | 'merge'>;
  readonly people: Pick<IdentityResolver, 'find' | 'resolve'>;
  readonly listeners: ConsentMatchers;
}

export function handleConsentReply(deps: ConsentReplyDeps): OutboxHandler {
  return {
    name: 'consent',
    plan(rows) {
      const sayings = rows.filter(maySay);
      const [first] = sayings;
      if (!first) return null;
      return {
        async alone() {
          const matchConsent = await deps.listeners.of(first.tenant_id);
          for (const row of sayings) await match(deps, row, matchConsent);
        },
      };
    },
  };
}

function maySay(row: MessageRow): boolean {
  const { direction, chat_id, message_type, body } = row;
  return direction === 'inbound' && body !== null && WRITTEN.has(message_type) && isSpoken(row) && subjectOf(chat_id) !== null;
}

/** Types whose text or caption may express consent. Other types, such as cards and polls, do not count. */
const WRITTEN: ReadonlySet<string> = new Set(['text', 'image', 'video', 'document']);

async function match(deps: ConsentReplyDeps, row: MessageRow, matchConsent: MatchConsent): Promise<void> {
  const status = row.body === null ? null : matchConsent(row.body);
  if (status === null) return;
  const { tenant_id, session_id: sessionId, chat_id } = row;
  const subject = subjectOf(await deps.people.resolve(tenant_id, chat_id)) ?? chat_id;
  await deps.consentService.receive(tenant_id, subject, {
    status,
    source: 'keyword',
    note: null,
    sessionId,
    ...statementOf(row),
  });
  await mergeKnown(deps, tenant_id, subject);
}

/** If the message was edited, the edit is a statement of its own, made at the time of the edit. */
function statementOf({ _id, created_at, told_at = created_at, edit_id, edited_at = told_at }: MessageRow) {
  if (edit_id === undefined) return { cause: _id, at: created_at, saidAt: told_at };
  const saidAt = Math.max(told_at, edited_at);
  return { cause: `${_id}@${edit_id}`, at: Math.max(created_at, saidAt), saidAt };
}
