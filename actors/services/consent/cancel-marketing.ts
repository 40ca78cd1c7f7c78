import { at } from '../../../runtime/invariant.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import { subjectOf } from '../../network/subject.ts';
import type { OptedOut } from './opted-out.ts';

export interface CancelMarketingDeps {
  readonly messages: Messages;
  readonly optedOut: OptedOut;
  hint(tenantId: string, sessionId: string): void;
}

export interface ConsentedDeps extends Pick<CancelMarketingDeps, 'optedOut'> {
  readonly inTime: (rows: readonly MessageRow[]) => Promise<readonly MessageRow[]>;
}

export async function cancelMarketing(
  { messages, hint }: Pick<CancelMarketingDeps, 'messages' | 'hint'>,
  tenantId: string,
  chats: readonly string[],
): Promise<void> {
  const stopped = await messages.cancelMarketing(tenantId, chats);
  for (const sessionId of new Set(stopped.map(({ session_id }) => session_id))) hint(tenantId, sessionId);
}

/** Checks consent when messages are claimed, because people may opt out while messages are queued. */
export function withConsent(messages: Messages, { optedOut, inTime }: ConsentedDeps): Messages {
  async function split(rows: readonly MessageRow[]): Promise<{ due: MessageRow[]; stopped: MessageRow[] }> {
    const people = rows.map(({ marketing, chat_id }) => (marketing ? subjectOf(chat_id) : null));
    const asked = [...new Set(people.filter((subject) => subject !== null))];
    const out = asked.length === 0 ? null : await optedOut(at(rows, 0).tenant_id, asked);
    const isStopped = (nth: number): boolean => out?.has(people[nth] ?? '') ?? false;
    return { due: rows.filter((_row, nth) => !isStopped(nth)), stopped: rows.filter((_row, nth) => isStopped(nth)) };
  }

  async function shortened(row: MessageRow): Promise<MessageRow | null> {
    const { story } = row.parts;
    if (!story) return row;
    const subjects = new Map(story.audience.map((chat) => [chat, subjectOf(chat) ?? '']));
    const out = await optedOut(row.tenant_id, [...subjects.values()]);
    const audience = story.audience.filter((chat) => !out.has(subjects.get(chat) ?? ''));
    if (audience.length === story.audience.length) return row;
    return audience.length === 0 ? null : { ...row, parts: { ...row.parts, story: { ...story, audience } } };
  }

  async function dueOf(owner: Owner, rows: readonly MessageRow[], error: 'opted_out' | 'unknown_outcome'): Promise<MessageRow[]> {
    const { due, stopped } = await split(rows);
    const left: MessageRow[] = [];
    for (const row of due) {
      const one = await shortened(row);
      if (one) left.push(one);
      else stopped.push(row);
    }
    for (const { net_id } of stopped) await messages.markFailed(owner, net_id, error);
    return left;
  }

  return {
    ...messages,
    async claim(owner, rows, now, timerOf) {
      const due = rows.some(({ blast_id }) => blast_id !== undefined) ? await inTime(rows) : rows;
      return dueOf(owner, await messages.claim(owner, due, now, timerOf), 'opted_out');
    },
    retake: async (owner, limit) => dueOf(owner, await messages.retake(owner, limit), 'unknown_outcome'),
  };
}
