import { newId } from '../../../runtime/ids.ts';
import { type Safe, safeText } from '../../../runtime/safe-text.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { MessageName } from '../../../store/messaging/net-ids.ts';
import { newMessage } from '../../../store/messaging/new-message.ts';
import type { PollVotes } from '../../../store/messaging/poll-votes.ts';
import type { ReceivedActionRow, ReceivedActions } from '../../../store/messaging/received-actions.ts';
import { cut } from '../../domain/cut.ts';
import { editableSince } from '../../domain/edit-window.ts';
import type { MessageAddress } from '../../domain/message-address.ts';
import type { MarkedChat } from '../../network/chat-marks.ts';
import type { GroupRecord } from '../../network/groups.ts';
import { userJid } from '../../network/jid.ts';
import type { MemberReceipt } from '../../network/member-receipts.ts';
import type { ChatCleared, ContactSaved, MessageChange } from '../../network/phone-changes.ts';
import type { Whereabouts } from '../../network/port.ts';
import type { KeepPublications } from '../../services/channels/publications.ts';
import { callEndEvent, callEvent, voteEvent } from '../../services/events/action-events.ts';
import type { Draft } from '../../services/events/types.ts';
import type { KeepFacts } from '../../services/facts/keep-facts.ts';
import { isGroupAdmin } from '../../services/groups/group-admins.ts';
import type { IdentityResolver } from '../../services/identities/identities.ts';
import type { ReceivedAction } from '../protocol.ts';
import type { LearnsTimers } from './device-timers.ts';
import { keepChange } from './early-actions.ts';
import { type HistoryImportDeps, importHistory } from './history-import.ts';

export interface KeepingDeps extends HistoryImportDeps {
  readonly timers: LearnsTimers;
  readonly messages: Pick<Messages, 'receive' | 'known' | 'namesakes' | 'ours' | 'find'>;
  readonly receivedActions: ReceivedActions;
  readonly votes: PollVotes;
  readonly people: IdentityResolver;
  readonly groups: Pick<Groups<GroupRecord>, 'find'>;
  readElsewhere(owner: Owner, chat: string, netIds: readonly string[]): Promise<void>;
  keepChatMarks(owner: Owner, marks: readonly MarkedChat[]): Promise<void>;
  keepCleared(owner: Owner, cleared: ChatCleared): Promise<void>;
  keepSavedName(owner: Owner, saved: Safe<ContactSaved>): Promise<void>;
  keepMemberReceipts(owner: Owner, receipts: readonly MemberReceipt[]): Promise<void>;
  readonly keepFacts: KeepFacts;
  onCall(owner: Owner, call: EventOf<'call'>, place: MessageAddress): Promise<void>;
  readonly publications: KeepPublications;
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
}

type EventOf<T> = Extract<ReceivedAction, { readonly type: T }>;

const EARLY_MS = 7 * 86_400_000;

/** Stores a network event before its ack. Idempotent. `own` is our own number (digits). */
export async function keep(deps: KeepingDeps, owner: Owner, event: ReceivedAction, own: string | null, now: number): Promise<void> {
  if (event.type === 'history') return importHistory(deps, owner, event);
  if (event.type === 'seen') return deps.readElsewhere(owner, event.chat, event.netIds);
  if (event.type === 'chatMarks') return deps.keepChatMarks(owner, event.marks);
  if (event.type === 'phoneChanges') {
    for (const change of event.changes) {
      if (change.kind === 'cleared') await deps.keepCleared(owner, change);
      else if (change.kind === 'saved') await deps.keepSavedName(owner, change);
      else await keepChange(deps, owner, await ownViewRow(deps, owner, change, now));
    }
    return;
  }
  if (event.type === 'memberReceipts') return deps.keepMemberReceipts(owner, event.receipts);
  if (event.type === 'facts') {
    await deps.keepFacts({ owner, phone: own }, event, now);
    return deps.timers.learnFacts(event.facts, event.at);
  }
  if (event.type === 'postStats') return deps.publications.stats(owner, event);
  if (event.type === 'statusViewed') return deps.publications.viewed(owner, event);
  if (event.type === 'identity') return deps.people.learn(owner.tenantId, event);
  const place = await deps.people.place(owner.tenantId, event);
  switch (event.type) {
    case 'reaction':
      return keepReaction(deps, owner, event, { place, own }, now);
    case 'vote':
      return keepVote(deps, owner, event, place);
    case 'timer':
      return deps.timers.learn(place.chat, event);
    case 'call':
      await deps.onCall(owner, event, place);
      return deps.record(owner.tenantId, [callEvent(owner.sessionId, event, place)]);
    case 'callEnded':
      return deps.record(owner.tenantId, [callEndEvent(owner.sessionId, event, place)]);
    default:
      return keepChange(deps, owner, await receivedActionRow(deps, owner, event, { place, own }, now));
  }
}

async function keepReaction(deps: KeepingDeps, owner: Owner, event: EventOf<'reaction'>, maker: Maker, now: number): Promise<void> {
  const { messages } = deps;
  const { place } = maker;
  const target = await messages.known(owner.sessionId, await nameOfTarget(deps, owner, event, maker));
  const row = reactionRow(owner, event, { place, message_id: target?._id ?? null }, now);
  await messages.receive(isOurs(maker) ? { ...row, ...OURS, sent_at: event.at } : row, {
    chats: chatsOf(event, place),
    by: addresses(event.from, event.fromAlt, place.from),
  });
}

async function keepVote(
  { votes, messages, record }: KeepingDeps,
  { tenantId, sessionId }: Owner,
  event: EventOf<'vote'>,
  place: MessageAddress,
) {
  const { target: poll, fromName: voter_name, choices, netId: net_id, at } = event;
  const _id = `${sessionId}:${poll}:${place.from}`;
  const message = await messages.known(sessionId, { netId: poll, chats: chatsOf(event, place) });
  // Ignore a vote that arrives in a chat other than the poll's.
  if (!message && (await messages.ours(sessionId, poll))) return;
  await votes.cast({ _id, tenant_id: tenantId, session_id: sessionId, poll, voter: place.from, voter_name, choices, net_id, at });
  await record(tenantId, [voteEvent(sessionId, event, { place, message_id: message?._id ?? null })]);
}

interface Maker {
  readonly place: MessageAddress;
  readonly own: string | null;
}

const isOurs = ({ place, own }: Maker): boolean => own !== null && place.from === userJid(own);

const OURS = { direction: 'outbound', sender: null, sender_name: null, status: 'sent', attempts: 1, delivered_at: null } as const;

async function receivedActionRow(
  deps: Pick<KeepingDeps, 'groups' | 'people' | 'messages'>,
  owner: Owner,
  event: EventOf<'edited' | 'deleted'>,
  maker: Maker,
  now: number,
): Promise<ReceivedActionRow> {
  const { place, own } = maker;
  const makers = addresses(event.from, event.fromAlt, place.from);
  const isOwn = isOurs(maker);
  const isOfGroup = event.type === 'deleted' && place.chat.endsWith('@g.us');
  const { by: author } = isOfGroup ? await nameOfTarget(deps, owner, event, maker) : {};
  const isLimited = event.type === 'edited' && !place.chat.endsWith('@newsletter');
  return {
    _id: `${owner.sessionId}:${place.chat}:${place.from}:${event.netId}`,
    session_id: owner.sessionId,
    net_id: event.netId,
    target: event.target,
    kind: event.type,
    body: event.type === 'edited' ? event.body : null,
    by: isOwn ? null : makers,
    chats: chatsOf(event, place),
    moderates: isOfGroup && (isOwn || (await isGroupAdmin(deps.groups, { owner, phone: own }, place.chat, makers))),
    ...(author !== undefined && { author }),
    ...(isLimited && { since: editableSince(event.at, now) }),
    at: event.at,
    expires_at: now + EARLY_MS,
  };
}

async function ownViewRow(
  { people }: Pick<KeepingDeps, 'people'>,
  { tenantId, sessionId }: Owner,
  { kind, chat, chatAlt, netId: target, from, at }: MessageChange,
  now: number,
): Promise<ReceivedActionRow> {
  const place = await people.place(tenantId, { chat, from: from ?? chat, ...(chatAlt !== undefined && { chatAlt }) });
  const where = { chat, from: chat, ...(chatAlt !== undefined && { chatAlt }) };
  return {
    ...{ _id: `${sessionId}:${place.chat}:own:${target}:${kind}:${at}`, session_id: sessionId, net_id: '', target, kind, body: null, at },
    by: from === null ? null : addresses(from, place.from, ...(from === chat ? [chatAlt, place.chat] : [])),
    chats: chatsOf(where, place),
    expires_at: now + EARLY_MS,
  };
}

/** If several messages share a network id, the author that the event claims decides between them. */
async function nameOfTarget(
  { messages, people }: Pick<KeepingDeps, 'messages' | 'people'>,
  { tenantId, sessionId }: Owner,
  event: EventOf<'reaction' | 'deleted' | 'edited'>,
  { place, own }: Maker,
): Promise<MessageName> {
  const { target: netId, targetFrom } = event;
  const name = { netId, chats: chatsOf(event, place) };
  if (targetFrom === undefined || (await messages.namesakes(sessionId, name)).length < 2) return name;
  const author = targetFrom === null ? null : await people.resolve(tenantId, targetFrom);
  const isOurs = author === null || (own !== null && author === userJid(own));
  return { ...name, by: isOurs ? null : addresses(targetFrom ?? undefined, author ?? undefined) };
}

/** Returns all addresses of the chat, because stored messages may still use an older one. */
export const chatsOf = (event: Whereabouts, place: MessageAddress): readonly string[] => addresses(event.chat, event.chatAlt, place.chat);

const addresses = (...known: readonly (string | undefined)[]): readonly string[] => [...new Set(known.filter((one) => one !== undefined))];

interface Reacting {
  readonly place: MessageAddress;
  readonly message_id: string | null;
}

/** Maximum length of an emoji, because senders may write any text. Also limits callers' reactions. */
const LONGEST_EMOJI = 32;

function reactionRow(owner: Owner, event: EventOf<'reaction'>, { place, message_id }: Reacting, now: number): MessageRow {
  return newReaction(owner, now, {
    direction: 'inbound',
    chat_id: place.chat,
    sender: place.from,
    sender_name: event.fromName,
    ...(place.lid !== null && { sender_lid: place.lid }),
    body: safeText(cut(event.emoji, LONGEST_EMOJI)),
    parts: { reaction: { target: event.target, message_id, at: event.at } },
    status: 'delivered',
    net_id: event.netId,
    delivered_at: now,
  });
}

export const newReaction = (
  { tenantId, sessionId, epoch }: Owner,
  now: number,
  given: Pick<MessageRow, 'direction' | 'chat_id' | 'body' | 'parts' | 'status' | 'net_id'> & Partial<MessageRow>,
): MessageRow =>
  newMessage({
    _id: newId(now),
    tenant_id: tenantId,
    session_id: sessionId,
    message_type: 'reaction',
    epoch,
    outbox_pending: true,
    created_at: now,
    ...given,
  });
