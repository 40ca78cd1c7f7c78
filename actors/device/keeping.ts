import { newId } from '../../runtime/ids.ts';
import type { ActRow, MessageActs } from '../../store/message-acts.ts';
import { LANES, type MessageRow, type Messages, type Owner } from '../../store/messages.ts';
import type { Votes } from '../../store/votes.ts';
import { callEvent, voteEvent } from '../events/act-events.ts';
import type { Draft } from '../events/types.ts';
import { userJid } from '../network/jid.ts';
import type { People, Place } from '../people/people.ts';
import { type PastPorts, storePast } from './past.ts';
import type { ToldAct } from './protocol.ts';

export interface KeepingPorts extends PastPorts {
  readonly messages: Pick<Messages, 'receive' | 'known'>;
  readonly acts: MessageActs;
  readonly votes: Votes;
  readonly people: People;
  /** These messages, and what came before them in their chat, are read. Idempotent. */
  readElsewhere(owner: Owner, netIds: readonly string[]): Promise<void>;
  /** Records events, once each. */
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
}

type Told<T> = Extract<ToldAct, { readonly type: T }>;

const EARLY_MS = 7 * 86_400_000;

/**
 * Stores what somebody did: what the network is told we have we have for good, with all that follows from it. Done again it changes nothing, and
 * what comes before its message waits for it. `own`: the digits of the device's number.
 */
export async function keep(ports: KeepingPorts, owner: Owner, event: ToldAct, own: string | null, now: number): Promise<void> {
  if (event.type === 'history') return storePast(ports, owner, event.messages);
  if (event.type === 'seen') return ports.readElsewhere(owner, event.netIds);
  if (event.type === 'identity') return ports.people.learn(owner.tenantId, event.lid, event.phone);
  const place = await ports.people.place(owner.tenantId, event);
  switch (event.type) {
    case 'reaction':
      return keepReaction(ports, owner, event, { place, own }, now);
    case 'vote':
      return keepVote(ports, owner, event, place);
    case 'call':
      return ports.record(owner.tenantId, [callEvent(owner.sessionId, event, place)]);
    default:
      return keepChange(ports, owner, actRow(owner, event, { place, own }, now));
  }
}

async function keepReaction(ports: KeepingPorts, owner: Owner, event: Told<'reaction'>, maker: Maker, now: number): Promise<void> {
  const { messages } = ports;
  const target = await messages.known(owner.sessionId, event.target);
  const row = reactionRow(owner, event, { place: maker.place, message_id: target?._id ?? null }, now);
  await messages.receive(isOurs(maker) ? { ...row, ...OURS, sent_at: event.at } : row);
}

async function keepVote({ votes, messages, record }: KeepingPorts, { tenantId, sessionId }: Owner, event: Told<'vote'>, place: Place) {
  const { target: poll, fromName: voter_name, choices, netId: net_id, at } = event;
  const _id = `${sessionId}:${poll}:${place.from}`;
  await votes.cast({ _id, tenant_id: tenantId, session_id: sessionId, poll, voter: place.from, voter_name, choices, net_id, at });
  const message = await messages.known(sessionId, poll);
  await record(tenantId, [voteEvent(sessionId, event, { place, message_id: message?._id ?? null })]);
}

async function keepChange({ acts }: KeepingPorts, owner: Owner, act: ActRow): Promise<void> {
  if (await acts.apply(owner, act)) return;
  await acts.keep(act);
  // It may have come in between, and have found nothing that waited for it.
  if (await acts.apply(owner, act)) await acts.forget([act]);
}

/** A message was stored: what was done to it before it came is done to it now. */
export async function catchUp({ acts }: Pick<KeepingPorts, 'acts'>, owner: Owner, netId: string): Promise<void> {
  const waiting = await acts.kept(owner.sessionId, netId);
  for (const act of waiting) await acts.apply(owner, act);
  await acts.forget(waiting);
}

interface Maker {
  readonly place: Place;
  readonly own: string | null;
}

const isOurs = ({ place, own }: Maker): boolean => own !== null && place.from === userJid(own);

/** What the number's owner reacts with on their phone. */
const OURS = { direction: 'outbound', sender: null, sender_name: null, status: 'sent', attempts: 1, delivered_at: null } as const;

function actRow({ sessionId }: Owner, event: Told<'edited' | 'deleted'>, maker: Maker, now: number): ActRow {
  const { place } = maker;
  const addresses = [event.from, event.fromAlt, place.from].filter((one) => one !== undefined);
  return {
    _id: `${sessionId}:${event.netId}`,
    session_id: sessionId,
    net_id: event.netId,
    target: event.target,
    kind: event.type,
    body: event.type === 'edited' ? event.body : null,
    by: isOurs(maker) ? null : [...new Set(addresses)],
    of_group: place.chat.endsWith('@g.us'),
    at: event.at,
    expires_at: now + EARLY_MS,
  };
}

interface Reacting {
  readonly place: Place;
  readonly message_id: string | null;
}

function reactionRow(owner: Owner, event: Told<'reaction'>, { place, message_id }: Reacting, now: number): MessageRow {
  return {
    ...entryOf(owner, now),
    direction: 'inbound',
    chat_id: place.chat,
    sender: place.from,
    sender_name: event.fromName,
    ...(place.lid !== null && { sender_lid: place.lid }),
    body: event.emoji,
    parts: { reaction: { target: event.target, message_id, at: event.at } },
    status: 'delivered',
    net_id: event.netId,
    delivered_at: now,
  };
}

type Common = Omit<MessageRow, 'direction' | 'chat_id' | 'sender' | 'sender_name' | 'body' | 'parts' | 'status' | 'net_id'>;

/** What reactions of both directions have in common. */
export function entryOf({ tenantId, sessionId, epoch }: Owner, now: number): Common {
  return {
    _id: newId(now),
    tenant_id: tenantId,
    session_id: sessionId,
    message_type: 'reaction',
    media_r2_key: null,
    error: null,
    quotes: null,
    lane: LANES.reply,
    priority: 0,
    epoch,
    attempts: 0,
    quota_month: null,
    owes: true,
    rev: 0,
    created_at: now,
    claimed_at: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
  };
}
