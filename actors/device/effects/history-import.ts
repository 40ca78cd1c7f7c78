import { derivedId } from '../../../runtime/derived-ids.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { Safe } from '../../../runtime/safe-text.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { ReceivedActions } from '../../../store/messaging/received-actions.ts';
import { isLid } from '../../network/jid.ts';
import type { HistoryMessage, KeptEvent } from '../../network/port.ts';
import type { Loaded } from '../../services/conversations/older-messages.ts';
import type { SealedMessageSecrets } from '../../services/credentials/message-secrets.ts';
import type { IdentityResolver } from '../../services/identities/identities.ts';
import { asOurs, deferMedia, inboundRow } from '../behaviour/inbound-row.ts';
import type { LearnsTimers } from './device-timers.ts';
import { catchUp } from './early-actions.ts';

export interface HistoryImportDeps {
  readonly messages: Pick<Messages, 'receive'>;
  readonly people: IdentityResolver;
  readonly secrets: SealedMessageSecrets;
  readonly receivedActions: ReceivedActions;
  readonly timers: Pick<LearnsTimers, 'learnFrom'>;
  isPlatformChat(chat: string): Promise<boolean>;
  keptSince(tenantId: string): Promise<number>;
  olderLoaded(owner: Owner, loaded: Loaded): Promise<void>;
  rememberChats(rows: readonly MessageRow[]): Promise<void>;
}

/** Creates chats from imported messages, but no events, replies or unread counts. Idempotent. */
export async function importHistory(
  deps: HistoryImportDeps,
  owner: Owner,
  { messages: all, older }: Safe<Extract<KeptEvent, { readonly type: 'history' }>>,
): Promise<void> {
  const since = await deps.keptSince(owner.tenantId);
  const messages = all.filter(({ at }) => at >= since);
  const rows = await storeAll(deps, owner, messages);
  if (!older) return;
  const more = messages.length < all.length ? false : older.more;
  const [first] = messages;
  const chat = rows[0]?.chat_id ?? (first ? (await deps.people.place(owner.tenantId, first)).chat : null);
  await deps.olderLoaded(owner, { request: older.request, more, count: rows.length, chat });
}

async function storeAll(deps: HistoryImportDeps, owner: Owner, messages: readonly Safe<HistoryMessage>[]): Promise<readonly MessageRow[]> {
  const rows: MessageRow[] = [];
  for (let from = 0; from < messages.length; from += IN_A_TURN) {
    if (from > 0) await fairSlices.turn(owner.tenantId);
    const some = await historyRows(deps, owner, messages.slice(from, from + IN_A_TURN));
    await Promise.all(some.map((row) => deps.messages.receive(row)));
    if (some.length > 0) await catchUp(deps, owner, [...new Set(some.map(({ net_id }) => net_id))]);
    rows.push(...some);
  }
  await deps.rememberChats(rows);
  await learnTimers(deps, owner, messages);
  // The import may have created chats under hidden addresses whose numbers are known. Merge those chats.
  const hidden = [...new Set(rows.map(({ chat_id }) => chat_id).filter(isLid))];
  if (hidden.length > 0) await deps.people.settle(owner.tenantId, owner.sessionId, hidden);
  return rows;
}

async function learnTimers({ timers, people }: HistoryImportDeps, owner: Owner, messages: readonly Safe<HistoryMessage>[]): Promise<void> {
  const last = messages.reduce<Safe<HistoryMessage> | null>(
    (latest, one) => (one.timerAt !== undefined && one.timerAt >= (latest?.timerAt ?? 0) ? one : latest),
    null,
  );
  if (last) await timers.learnFrom((await people.place(owner.tenantId, last)).chat, last);
}

const IN_A_TURN = 100;

/** Converts messages one by one, so that most lookups of people are answered from memory. */
async function historyRows(deps: HistoryImportDeps, owner: Owner, messages: readonly Safe<HistoryMessage>[]): Promise<MessageRow[]> {
  const rows: MessageRow[] = [];
  for (const message of messages) {
    const row = await historyRow(deps, owner, message);
    if (!(await deps.isPlatformChat(row.chat_id))) rows.push(row);
  }
  return rows;
}

async function historyRow({ people, secrets }: HistoryImportDeps, owner: Owner, message: Safe<HistoryMessage>): Promise<MessageRow> {
  const { netId, at, isOurs } = message;
  const { chat, from } = message;
  const _id = derivedId(`${owner.sessionId} ${chat} ${from} ${netId}`, at);
  const row = inboundRow(_id, owner, message, await people.place(owner.tenantId, message), at);
  const left = 'file' in message.content ? deferMedia(message.file ?? null) : {};
  const secret = message.secret === undefined ? {} : { secret: secrets.seal(row, message.secret) };
  return { ...row, ...secret, ...(isOurs && asOurs(message)), ...left, outbox_pending: false, history: true };
}
