import { forAtMost } from '../../../../runtime/clock.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { isLid, STORIES, userOf } from '../../jid.ts';
import { MAX_RECEIPT_MEMBERS, type MemberReceipt } from '../../member-receipts.ts';
import { personAt, withoutDevice } from '../../person.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import { Spreads } from '../outbound/group-receipts.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { resend } from '../outbound/resend.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import type { EarlyReceipts } from './early-receipts.ts';

type Told = Extract<KeptEvent, { type: 'receipt' | 'statusViewed' }>;
type Receipt = Extract<KeptEvent, { type: 'receipt' }>;
type Status = Receipt['status'];

const STATUSES: ReadonlyMap<string, Status> = new Map([
  ['', 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['read-self', 'read'],
  ['played', 'read'],
]);

/** Receipts that arrive within this time of each other are handled together. */
const GATHERED_MS = 50;
/** After this time, a slow resend (for example, of a file) no longer blocks the device's other requests. */
const ANSWERED_WITHIN_MS = 60_000;
const MAX_REQUESTS = 1_000;

interface Arrived {
  readonly node: BinaryNode;
  readonly token: string;
}

interface Read extends Arrived {
  readonly members: readonly Member[];
}

interface ReceiptParts {
  readonly early: Pick<EarlyReceipts, 'keep'>;
  readonly caughtUp: () => Promise<void>;
}

/** Replaces the library's handler, which acknowledges receipts before they are stored. */
export function handleReceipts(context: ConnectionContext, outbound: Outbound, { early, caughtUp }: ReceiptParts): void {
  context.socket.ws.removeAllListeners('CB:receipt');
  let received = 0;
  let arrived: Arrived[] = [];
  let tail: Promise<void> = Promise.resolve();
  const requests = new FairSlots({ slots: 4, share: 1, waiting: MAX_REQUESTS });
  context.frames.take({ isOurs: isReceipt, receive: arrive });

  function arrive(node: BinaryNode): void {
    if (node.attrs['type'] === 'retry') return answerRequest(node);
    received += 1;
    const token = `receipt ${received}`;
    if (isOurReading(context, node)) return attempt(context, 'a receipt', () => tellSeen(context, node, token, caughtUp));
    arrived.push({ node, token });
    if (arrived.length === 1) context.clock.after(GATHERED_MS, receiveAll);
  }

  /** Acknowledges the request even if the resend fails, or the device would ask again at each login. */
  function answerRequest(node: BinaryNode): void {
    const { clock, socket } = context;
    const { from = '', participant: device = from } = node.attrs;
    const answer = (): Promise<void> => forAtMost(clock, ANSWERED_WITHIN_MS, resend(context, outbound, node));
    attempt(context, 'sending a message again', () => requests.run(device, answer).finally(() => socket.sendMessageAck(node)));
  }

  function receiveAll(): void {
    const all = arrived;
    arrived = [];
    // Batches are handled one after another, because a slow database read could change their order.
    tail = tail
      .then(() => receive(context, early, all))
      .catch((cause) => context.log.debug({ err: cause }, 'receipts could not be reported'));
  }
}

const isReceipt = ({ tag }: BinaryNode): boolean => tag === 'receipt';

async function receive(context: ConnectionContext, early: ReceiptParts['early'], arrived: readonly Arrived[]): Promise<void> {
  const read = arrived.map((one): Read => ({ ...one, members: isOfGroup(one.node) ? membersIn(context, one.node) : [] }));
  const spreads = await Spreads.of(
    context,
    read.flatMap(({ members }) => members.flatMap(({ netIds }) => netIds)),
  );
  const told = read.map((one) => ({ ...one, event: eventOf(context, one, spreads), receipts: memberReceipts(context, one) }));
  spreads.keep();
  for (const { node, event } of told)
    if (event?.type === 'receipt' && isLid(node.attrs['from'] ?? ''))
      await early.keep({ ...event, from: chatIn(node), isPlayed: node.attrs['type'] === 'played' });
  const waiting = new Map(told.map(({ node, receipts }) => [node, receipts.length > 0 ? 2 : 1]));
  const stored = (some: readonly Arrived[]): void => {
    for (const { node } of some) waiting.set(node, (waiting.get(node) ?? 1) - 1);
    acknowledge(
      context,
      some.filter(({ node }) => waiting.get(node) === 0),
    );
  };
  const [first, ...others] = told.filter(({ receipts }) => receipts.length > 0);
  if (first) {
    const receipts = [first, ...others].flatMap((one) => one.receipts);
    context.keep({ type: 'memberReceipts', token: `members ${first.token}`, receipts }, () => stored([first, ...others]));
  }
  stored(told.filter(({ event }) => event === null));
  for (const same of Map.groupBy(told, ({ event }) => momentOf(event)).values()) {
    const event = joined(same.flatMap((one) => one.event ?? []));
    if (event)
      context.keep(event, () => {
        if (event.type === 'receipt' && event.status === 'read') spreads.forget(event.netIds);
        stored(same);
      });
  }
}

function acknowledge({ library, socket, frames, creds }: ConnectionContext, arrived: readonly Arrived[]): void {
  for (const { node } of arrived) frames.write(socket, library.buildAckStanza(node, undefined, creds.me.id));
}

const momentOf = (event: Told | null): string | null =>
  event?.type === 'receipt' ? `${event.status} ${event.at}` : (event?.token ?? null);

function joined([first, ...others]: readonly Told[]): Told | null {
  if (first?.type !== 'receipt') return first ?? null;
  const all = [first, ...others].flatMap((one) => (one.type === 'receipt' ? [one] : []));
  return { ...first, netIds: all.flatMap(({ netIds }) => netIds), chats: all.flatMap(({ chats = [] }) => chats) };
}

function eventOf(context: ConnectionContext, read: Read, spreads: Spreads): Told | null {
  const { node, token } = read;
  if (node.attrs['from'] === STORIES) return viewOf(context, node, token);
  const event = isOfGroup(node) ? groupEvent(read, spreads) : receiptEvent(context, node, token);
  return event && event.netIds.length > 0 ? event : null;
}

function viewOf(context: ConnectionContext, node: BinaryNode, token: string): Told | null {
  const { type = '', participant, participant_pn: pn, participant_lid: lid, t } = node.attrs;
  if (STATUSES.get(type) !== 'read' || !participant || isMe(context, participant)) return null;
  const viewer = personAt(participant, pn ?? lid ?? null);
  return { type: 'statusViewed', token, netIds: idsIn(context, node), viewer, at: Number(t ?? 0) * 1_000 };
}

const isOfGroup = ({ attrs: { from } }: BinaryNode): boolean => from?.endsWith('@g.us') ?? false;

interface Member {
  readonly jid: string;
  readonly type?: string;
  readonly netIds: readonly string[];
  readonly at: number;
}

function membersIn(context: ConnectionContext, node: BinaryNode): readonly Member[] {
  const { library } = context;
  const { id = '', participant = '', t = 0 } = node.attrs;
  const messages = node.content === undefined ? [] : library.getBinaryNodeChildren(node, 'participants');
  if (messages.length === 0) return isMe(context, participant) ? [] : [{ jid: participant, netIds: idsIn(context, node), at: Number(t) }];
  return messages.flatMap((message) =>
    library.getBinaryNodeChildren(message, 'user').flatMap(({ attrs }): Member[] => {
      const { jid = '', t: at = t, type } = attrs;
      const netIds = [message.attrs['key'] ?? message.attrs['message_id'] ?? id];
      return isMe(context, jid) ? [] : [{ jid, netIds, at: Number(at), ...(type !== undefined && { type }) }];
    }),
  );
}

function groupEvent({ node, token, members }: Read, spreads: Spreads): Receipt | null {
  const status = STATUSES.get(node.attrs['type'] ?? '');
  if (!status) return null;
  const netIds = members.flatMap(({ jid, netIds }) => spreads.deliveredTo(jid, netIds, status));
  if (netIds.length === 0) return null;
  const at = Math.max(Number(node.attrs['t'] ?? 0), ...members.map(({ at }) => at));
  return { type: 'receipt', token, ...saidOf(node, [...new Set(netIds)]), status, at: at * 1_000 };
}

function memberReceipts(context: ConnectionContext, { node, members }: Read): readonly MemberReceipt[] {
  const { from = '', type: common = '', participant, recipient, t } = node.attrs;
  if (common !== 'played' && !isOfGroup(node)) return [];
  const chat = withoutDevice(from);
  const at = (seconds: number): number => (seconds > 0 ? seconds * 1_000 : context.clock.now());
  if (isOfGroup(node)) {
    if ((context.account.groups.get(from)?.participants.length ?? 0) > MAX_RECEIPT_MEMBERS) return [];
    return members.flatMap((member) => {
      const { type = common, netIds, at: moment } = member;
      const what = type === 'played' ? type : STATUSES.get(type);
      return what ? netIds.map((netId) => ({ netId, chat, member: withoutDevice(member.jid), what, at: at(moment) })) : [];
    });
  }
  if (from === STORIES || recipient || isMe(context, participant)) return [];
  return idsIn(context, node).map((netId) => ({ netId, chat, member: chat, what: 'played', at: at(Number(t ?? 0)) }));
}

const READ: ReadonlySet<string> = new Set(['read', 'read-self']);

function isOurReading(context: ConnectionContext, { attrs: { type = '', from, participant, recipient } }: BinaryNode): boolean {
  if (!READ.has(type)) return false;
  return recipient ? isMe(context, from) : isMe(context, participant);
}

async function tellSeen(context: ConnectionContext, node: BinaryNode, token: string, caughtUp: () => Promise<void>): Promise<void> {
  const { from = '', recipient } = node.attrs;
  await caughtUp();
  const chat = context.library.jidNormalizedUser(recipient ?? from);
  context.keep({ type: 'seen', token, chat, netIds: idsIn(context, node) }, () =>
    attempt(context, 'an ack', () => context.socket.sendMessageAck(node)),
  );
}

function isMe({ creds: { me } }: ConnectionContext, jid: string | undefined): boolean {
  const user = userOf(jid);
  return user !== undefined && (user === userOf(me.id) || user === userOf(me.lid));
}

function idsIn({ library }: ConnectionContext, node: BinaryNode): readonly string[] {
  if (node.content === undefined) return node.attrs['id'] ? [node.attrs['id']] : [];
  const items = library.getBinaryNodeChildren(library.getBinaryNodeChild(node, 'list'), 'item');
  return [node.attrs['id'], ...items.map(({ attrs }) => attrs['id'])].filter((netId): netId is string => !!netId);
}

function receiptEvent(context: ConnectionContext, node: BinaryNode, token: string): Receipt | null {
  const { id, from, participant, recipient, type = '', t } = node.attrs;
  const status = STATUSES.get(type);
  if (!status || !id || !from) return null;
  // Ignore a receipt from our own device, because it says nothing about the other person.
  if (recipient || isMe(context, participant)) return null;
  return { type: 'receipt', token, ...saidOf(node, idsIn(context, node)), status, at: Number(t ?? 0) * 1_000 };
}

const chatIn = ({ attrs: { from = '' } }: BinaryNode): string => from.replace(/:\d+(?=@)/, '');

function saidOf(node: BinaryNode, netIds: readonly string[]): Required<Pick<Receipt, 'netIds' | 'chats'>> {
  const chat = chatIn(node);
  return { netIds, chats: netIds.map(() => chat) };
}
