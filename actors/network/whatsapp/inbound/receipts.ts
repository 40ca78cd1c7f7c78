import { STORIES } from '../../jid.ts';
import { personAt } from '../../person.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import { deliveredTo } from '../outbound/group-receipts.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { resend } from '../outbound/resend.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';

type Receipt = Extract<KeptEvent, { type: 'receipt' }>;
type Status = Receipt['status'];

/** The network's names of receipts that report the progress of our messages. */
const STATUSES: ReadonlyMap<string, Status> = new Map([
  ['', 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['read-self', 'read'],
  ['played', 'read'],
]);

/**
 * Takes receipts over from the library, which acknowledges them before they can be stored. `caughtUp` resolves when all receipts so far are delivered.
 */
export function handleReceipts(context: ConnectionContext, outbound: Outbound, caughtUp: () => Promise<void>): void {
  const { ws } = context.socket;
  ws.removeAllListeners('CB:receipt');
  let received = 0;
  let tail: Promise<void> = Promise.resolve();
  ws.on('CB:receipt', (node: BinaryNode) => {
    if (node.attrs['type'] === 'retry') return answer(context, outbound, node);
    received += 1;
    const token = `receipt ${received}`;
    if (isOurReading(context, node)) return attempt(context, 'a receipt', () => tellSeen(context, node, token, caughtUp));
    // In their order: a look into the store must not let a later one overtake.
    tail = tail
      .then(() => receive(context, node, token))
      .catch((cause) => context.log.debug({ err: cause }, 'a receipt could not be told'));
  });
}

/** Acknowledged in any case: a device that asks for what cannot be sent would ask again at each login. */
function answer(context: ConnectionContext, outbound: Outbound, node: BinaryNode): void {
  attempt(context, 'sending a message again', () => resend(context, outbound, node).finally(() => context.socket.sendMessageAck(node)));
}

async function receive(context: ConnectionContext, node: BinaryNode, token: string): Promise<void> {
  const acknowledge = (): void => attempt(context, 'an ack', () => context.socket.sendMessageAck(node));
  if (node.attrs['from'] === STORIES) {
    const view = viewOf(context, node, token);
    return view ? context.keep(view, acknowledge) : acknowledge();
  }
  const event = context.library.getBinaryNodeChild(node, 'participants')
    ? await ofMany(context, node, token)
    : await ofOne(context, node, receiptEvent(context, node, token));
  if (event && event.netIds.length > 0) context.keep(event, acknowledge);
  else acknowledge();
}

/** Who looked at a status of ours; null: its receipt says less. */
function viewOf(context: ConnectionContext, node: BinaryNode, token: string): KeptEvent | null {
  const { type = '', participant, participant_pn: pn, participant_lid: lid, t } = node.attrs;
  if (STATUSES.get(type) !== 'read' || !participant || isMe(context, participant)) return null;
  const viewer = personAt(participant, pn ?? lid ?? null);
  return { type: 'statusViewed', token, netIds: idsIn(context, node), viewer, at: Number(t ?? 0) * 1_000 };
}

async function ofOne(
  context: ConnectionContext,
  { attrs: { from, participant = '' } }: BinaryNode,
  event: Receipt | null,
): Promise<Receipt | null> {
  if (!event || !from?.endsWith('@g.us')) return event;
  return { ...event, netIds: await deliveredTo(context, participant, event.netIds, event.status) };
}

/** Several members' receipts for messages of a group at once, each with its own time. */
async function ofMany(context: ConnectionContext, node: BinaryNode, token: string): Promise<Receipt | null> {
  const { library } = context;
  const status = STATUSES.get(node.attrs['type'] ?? '');
  if (!status) return null;
  let at = Number(node.attrs['t'] ?? 0);
  const netIds: string[] = [];
  for (const message of library.getBinaryNodeChildren(node, 'participants')) {
    const netId = message.attrs['key'] ?? node.attrs['id'] ?? '';
    for (const { attrs } of library.getBinaryNodeChildren(message, 'user')) {
      if (isMe(context, attrs['jid'])) continue;
      at = Math.max(at, Number(attrs['t'] ?? 0));
      netIds.push(...(await deliveredTo(context, attrs['jid'] ?? '', [netId], status)));
    }
  }
  return { type: 'receipt', token, netIds: [...new Set(netIds)], status, at: at * 1_000 };
}

const READ: ReadonlySet<string> = new Set(['read', 'read-self']);

/** The number's owner read messages on the phone or another device: as reported in a chat (`recipient`), and in a group. */
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

const isMe = ({ library, creds: { me } }: ConnectionContext, jid: string | undefined): boolean =>
  library.areJidsSameUser(jid, me?.id) || library.areJidsSameUser(jid, me?.lid);

function idsIn({ library }: ConnectionContext, node: BinaryNode): readonly string[] {
  const items = library.getBinaryNodeChildren(library.getBinaryNodeChild(node, 'list'), 'item');
  return [node.attrs['id'], ...items.map(({ attrs }) => attrs['id'])].filter((netId): netId is string => !!netId);
}

function receiptEvent(context: ConnectionContext, node: BinaryNode, token: string): Receipt | null {
  const { id, from, participant, recipient, type = '', t } = node.attrs;
  const status = STATUSES.get(type);
  if (!status || !id || !from) return null;
  // A receipt of another device of our own number says nothing about the other side, unless that side is our own phone.
  if (recipient || isMe(context, participant)) return null;
  return { type: 'receipt', token, netIds: idsIn(context, node), status, at: Number(t ?? 0) * 1_000 };
}
