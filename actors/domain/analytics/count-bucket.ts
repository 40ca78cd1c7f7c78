import type { BucketFigures, ChatActivity, GroupFigures, MessageCounts } from '../../../store/analytics/bucket-row.ts';
import type { CountedMessage } from '../../../store/analytics/counted-messages.ts';
import { type CostEntry, sumCosts } from './costs.ts';

/**
 * Counts the messages of one bucket (15 minutes of one device). Pure, so a bucket can be recounted.
 * Chats are stored as keyed hashes, which do not reveal people.
 */

export type WaitingSince = (chatId: string) => number | null;

export type KnownSince = (chatId: string) => number;

const ALWAYS: KnownSince = () => 0;

/** Maximum number of first replies in a bucket. Only a machine could send more. */
const MAX_FIRST_REPLIES = 1_000;

const counts = ({ chat_id, message_type, history }: CountedMessage): boolean =>
  message_type !== 'reaction' && !history && chat_id !== 'status@broadcast';

export const isPersonal = (chatId: string): boolean => !/@(g\.us|newsletter|broadcast)$/.test(chatId);

export const isAnswer = ({ direction, message_type, history, automatic, ai, origin, blast_id }: CountedMessage): boolean =>
  direction === 'outbound' && message_type !== 'reaction' && !history && !automatic && !ai && !origin && blast_id === undefined;

const isQuestion = ({ direction, message_type, history }: CountedMessage): boolean =>
  direction === 'inbound' && message_type !== 'reaction' && !history;

export function waitingIn(newestFirst: readonly CountedMessage[]): number | null {
  let since: number | null = null;
  for (const message of newestFirst) {
    if (isAnswer(message)) return since;
    if (isQuestion(message)) since = message.created_at;
  }
  return since;
}

export function countBucket(
  messages: readonly CountedMessage[],
  waitingSince: WaitingSince,
  keyOf: (chatId: string) => string,
  knownSince: KnownSince = ALWAYS,
): BucketFigures {
  const counted = messages.filter(counts);
  const replies = firstReplies(counted, waitingSince);
  return {
    ...countsOf(counted),
    rows: messages.filter((message) => !mayBeWithdrawn(message)).length,
    chats: [...Map.groupBy(counted.filter(wasSaid), ({ chat_id }) => chat_id)].map(([chat, own]) => activityOf(chat, own, keyOf)),
    first_replies: [...replies.values()].slice(0, MAX_FIRST_REPLIES),
    ...machineOf(counted.filter(wasSent)),
    ...costsIn(messages),
    groups: [
      ...groupsOf('agent', counted, ({ written_by }) => written_by, replies, keyOf, ALWAYS),
      ...groupsOf('blast', counted, ({ blast_id }) => blast_id, replies, keyOf, knownSince),
    ],
  };
}

function costsIn(messages: readonly CountedMessage[]): Pick<BucketFigures, 'costs'> {
  const entries = messages.flatMap(({ cost, status, automatic, ai }): CostEntry[] => {
    if (!cost || (status !== 'delivered' && status !== 'read')) return [];
    const { category, country, currency, billable, amount } = cost;
    const isAutomatic = automatic === true || ai !== undefined;
    return [{ category, country, currency, automatic: isAutomatic, billed: billable ? 1 : 0, free: billable ? 0 : 1, amount }];
  });
  return entries.length > 0 ? { costs: sumCosts(entries, ({ automatic }) => String(automatic)) } : {};
}

function machineOf(sent: readonly CountedMessage[]): Pick<BucketFigures, 'machine'> {
  const by = (kind: 'rule' | 'hand_off'): number => sent.filter(({ made_by }) => made_by?.kind === kind).length;
  const machine = { ai: sent.filter(({ ai }) => ai !== undefined).length, handed_over: by('hand_off'), matched: by('rule') };
  return Object.values(machine).some((count) => count > 0) ? { machine } : {};
}

/** Returns times from a customer's first message to the reply. An unsent reply only ends the wait. */
function firstReplies(messages: readonly CountedMessage[], waitingSince: WaitingSince): ReadonlyMap<CountedMessage, number> {
  const waiting = new Map<string, number | null>();
  const replies = new Map<CountedMessage, number>();
  for (const message of messages) {
    const { chat_id, created_at } = message;
    if (!isPersonal(chat_id)) continue;
    const since = waiting.get(chat_id) ?? (waiting.has(chat_id) ? null : waitingSince(chat_id));
    if (isQuestion(message)) waiting.set(chat_id, since ?? created_at);
    else if (isAnswer(message)) {
      if (since !== null && wasSent(message)) replies.set(message, created_at - since);
      waiting.set(chat_id, null);
    }
  }
  return replies;
}

function countsOf(messages: readonly CountedMessage[]): MessageCounts {
  const ours = messages.filter(({ direction }) => direction === 'outbound');
  const with_ = (...statuses: readonly string[]): number => ours.filter(({ status }) => statuses.includes(status)).length;
  return {
    sent: with_('sent', 'delivered', 'read'),
    received: messages.length - ours.length,
    delivered: with_('delivered', 'read'),
    read: with_('read'),
    failed: with_('failed'),
  };
}

/** Whether a stopped campaign may still remove the message without a trace. */
const mayBeWithdrawn = ({ blast_id, status }: CountedMessage): boolean =>
  blast_id !== undefined && (status === 'queued' || status === 'sending');

const wasSent = ({ direction, status }: CountedMessage): boolean =>
  direction === 'outbound' && (status === 'sent' || status === 'delivered' || status === 'read');

const wasSaid = (message: CountedMessage): boolean => message.direction === 'inbound' || wasSent(message);

function activityOf(chat: string, messages: readonly CountedMessage[], keyOf: (chatId: string) => string): ChatActivity {
  const inbound = messages.filter(({ direction }) => direction === 'inbound');
  return {
    key: keyOf(chat),
    first_out: messages.find(wasSent)?.created_at ?? null,
    last_in: inbound.at(-1)?.created_at ?? null,
    received: inbound.length,
    is_person: isPersonal(chat),
  };
}

function groupsOf(
  kind: GroupFigures['kind'],
  messages: readonly CountedMessage[],
  idOf: (message: CountedMessage) => string | undefined,
  replies: ReadonlyMap<CountedMessage, number>,
  keyOf: (chatId: string) => string,
  knownSince: KnownSince,
): GroupFigures[] {
  const byId = Map.groupBy(
    messages.filter(({ direction }) => direction === 'outbound'),
    idOf,
  );
  return [...byId].flatMap(([id, own]) => {
    if (id === undefined) return [];
    const { received: _none, ...figures } = countsOf(own);
    const unknown = own.filter(({ status, error }) => status === 'failed' && error === 'not_on_network').length;
    const first = new Map<string, number>();
    for (const { chat_id, created_at } of own.filter(wasSent)) if (!first.has(chat_id)) first.set(chat_id, created_at);
    return [
      {
        kind,
        id,
        ...figures,
        chats: [...first].map(([chat, first_out]) => ({
          key: keyOf(chat),
          first_out,
          ...(knownSince(chat) >= first_out && { is_new: true as const }),
        })),
        ...(unknown > 0 && { unknown }),
        ...(kind === 'blast' && costsIn(own)),
        first_replies: own.flatMap((message) => replies.get(message) ?? []).slice(0, MAX_FIRST_REPLIES),
      },
    ];
  });
}
