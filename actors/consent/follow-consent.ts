import type { MessageRow } from '../../store/messages.ts';
import type { FollowUp } from '../follow-ups.ts';
import { isLid, phoneOf } from '../network/jid.ts';
import type { People } from '../people/people.ts';
import type { ConsentBook } from './book.ts';
import type { HearConsent, Listeners } from './config.ts';
import { whoOf } from './people.ts';

export interface FollowConsentPorts {
  readonly book: Pick<ConsentBook, 'hear' | 'unite'>;
  readonly listeners: Listeners;
  readonly people: Pick<People, 'canonical'>;
}

/**
 * Hears in what came in whether somebody wants no more messages, or wants them again (spec.md part 3). It goes before everything else that
 * follows from a message. The message names the change, so that hearing it again changes nothing.
 */
export function followConsent(ports: FollowConsentPorts): FollowUp {
  return {
    name: 'consent',
    async run(rows) {
      const sayings = rows.filter(maySay);
      if (sayings.length === 0) return;
      const hear = await ports.listeners.of(sayings[0]!.tenant_id);
      for (const row of sayings) await heed(ports, row, hear);
    },
  };
}

/** What can say something about consent: what a person wrote, in a chat of two. */
function maySay({ direction, chat_id, message_type, body }: MessageRow): boolean {
  return direction === 'inbound' && body !== null && WRITTEN.has(message_type) && whoOf(chat_id) !== null;
}

/** A file's text is its caption; the text of the rest (cards, polls) is nobody's wish. */
const WRITTEN: ReadonlySet<string> = new Set(['text', 'image', 'video', 'document']);

async function heed({ book, people }: FollowConsentPorts, row: MessageRow, hear: HearConsent): Promise<void> {
  const status = hear(row.body ?? '');
  if (status === null) return;
  const { tenant_id, session_id: sessionId, _id: cause, created_at: at, chat_id } = row;
  const whose = await people.canonical(tenant_id, chat_id);
  await book.hear(tenant_id, whoOf(whose) ?? chat_id, { status, source: 'keyword', note: null, at, cause, sessionId });
  if (!isLid(whose)) return;
  // Whose number became known meanwhile had no record yet when the two were made one.
  const phone = phoneOf(await people.canonical(tenant_id, whose));
  if (phone !== null) await book.unite(tenant_id, whose, phone);
}
