import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import type { ConsentMatchers, MatchConsent } from './config.ts';
import type { ConsentService } from './consent-service.ts';
import { type MergeKnownDeps, mergeKnown } from './merge-known.ts';
import { subjectOf } from './subject.ts';

export interface ConsentReplyDeps extends MergeKnownDeps {
  readonly consentService: Pick<ConsentService, 'receive' | 'merge'>;
  readonly listeners: ConsentMatchers;
}

/**
 * Handles opt-out and opt-in words in inbound messages. It comes before everything else that
 * follows from a message. The message names the change, so that receiving it again changes nothing.
 */
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

/** A message that may express consent: written by a person, in a 1:1 chat. */
function maySay({ direction, chat_id, message_type, body }: MessageRow): boolean {
  return direction === 'inbound' && body !== null && WRITTEN.has(message_type) && subjectOf(chat_id) !== null;
}

/** A file's text is its caption; the text of other types (cards, polls) expresses no consent. */
const WRITTEN: ReadonlySet<string> = new Set(['text', 'image', 'video', 'document']);

async function match(deps: ConsentReplyDeps, row: MessageRow, matchConsent: MatchConsent): Promise<void> {
  const status = matchConsent(row.body ?? '');
  if (status === null) return;
  const { tenant_id, session_id: sessionId, _id: cause, created_at: at, told_at: saidAt = at, chat_id } = row;
  const subject = subjectOf(await deps.people.resolve(tenant_id, chat_id)) ?? chat_id;
  await deps.consentService.receive(tenant_id, subject, {
    status,
    source: 'keyword',
    note: null,
    at,
    cause,
    sessionId,
    saidAt,
  });
  await mergeKnown(deps, tenant_id, subject);
}
