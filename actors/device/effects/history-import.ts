import { derivedId } from '../../../runtime/derived-ids.ts';
import type { Safe } from '../../../runtime/safe-text.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import { isLid } from '../../network/jid.ts';
import type { HistoryMessage } from '../../network/port.ts';
import type { IdentityResolver } from '../../services/identities/identities.ts';
import { asOurs, deferMedia, inboundRow } from '../behaviour/inbound-row.ts';

export interface HistoryImportDeps {
  readonly messages: Pick<Messages, 'receive'>;
  readonly people: IdentityResolver;
  /** Whether a chat is the one with the platform's own number: nothing of it is kept. */
  isPlatformChat(chat: string): Promise<boolean>;
  /** Shows the chats of these messages, which are read. Idempotent. */
  rememberChats(rows: readonly MessageRow[]): Promise<void>;
}

/**
 * Stores messages from before the device was linked, with their own times. They only create their chats: no event, no answer, nothing unread.
 * Files stay on the network until they are requested. Idempotent.
 */
export async function importHistory(deps: HistoryImportDeps, owner: Owner, messages: readonly Safe<HistoryMessage>[]): Promise<void> {
  const all = await Promise.all(messages.map((message) => historyRow(deps, owner, message)));
  const isKept = await Promise.all(all.map(async ({ chat_id }) => !(await deps.isPlatformChat(chat_id))));
  const rows = all.filter((_row, nth) => isKept[nth]);
  await Promise.all(rows.map((row) => deps.messages.receive(row)));
  await deps.rememberChats(rows);
  // Whose number became known meanwhile has a chat under the hidden address again.
  const hidden = [...new Set(rows.map(({ chat_id }) => chat_id).filter(isLid))];
  if (hidden.length > 0) await deps.people.settle(owner.tenantId, owner.sessionId, hidden);
}

async function historyRow({ people }: HistoryImportDeps, owner: Owner, message: Safe<HistoryMessage>): Promise<MessageRow> {
  const { netId, at, isOurs } = message;
  const _id = derivedId(`${owner.sessionId} ${netId}`, at);
  const row = inboundRow(_id, owner, message, await people.place(owner.tenantId, message), at);
  const left = 'file' in message.content ? deferMedia(message.file ?? null) : {};
  return { ...row, ...(isOurs && asOurs(message)), ...left, outbox_pending: false, history: true };
}
