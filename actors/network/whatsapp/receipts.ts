import type { KeptEvent } from '../port.ts';
import type { BinaryNode } from './library.ts';
import { spread } from './spread.ts';
import { attempt, type Wires } from './wires.ts';

type Receipt = Extract<KeptEvent, { type: 'receipt' }>;
type Status = Receipt['status'];

/** What the network calls the receipts that tell how far a message of ours came. */
const STATUSES: Readonly<Record<string, Status>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  'read-self': 'read',
  played: 'read',
};

/**
 * Takes receipts over from the library, which tells the network that it has one before anybody could store it. Only those that ask for a
 * message once more stay the library's. `caughtUp` resolves when all that came in so far was heard.
 */
export function hearReceipts(wires: Wires, caughtUp: () => Promise<void>): void {
  const { ws } = wires.socket;
  const again = ws.listeners('CB:receipt');
  ws.removeAllListeners('CB:receipt');
  let heard = 0;
  let tail: Promise<void> = Promise.resolve();
  ws.on('CB:receipt', (node: BinaryNode) => {
    if (node.attrs['type'] === 'retry') return void again.map((listener) => listener(node));
    heard += 1;
    const token = `receipt ${heard}`;
    if (isOurReading(wires, node)) return attempt(wires, 'a receipt', () => tellSeen(wires, node, token, caughtUp));
    // In their order: a look into the store must not let a later one overtake.
    tail = tail.then(() => hear(wires, node, token)).catch((cause) => wires.log.debug({ err: cause }, 'a receipt could not be told'));
  });
}

async function hear(wires: Wires, node: BinaryNode, token: string): Promise<void> {
  const acknowledge = (): void => attempt(wires, 'an ack', () => wires.socket.sendMessageAck(node));
  const event = receiptEvent(wires, node, token);
  const netIds = !event || !node.attrs['from']?.endsWith('@g.us') ? event?.netIds : await spread(wires, node, event.netIds, event.status);
  if (event && netIds && netIds.length > 0) wires.keep({ ...event, netIds }, acknowledge);
  else acknowledge();
}

const READ: ReadonlySet<string> = new Set(['read', 'read-self']);

/** The number's owner read what others wrote, on their phone or on another device: so it is told in a chat (`recipient`), and in a group. */
function isOurReading(wires: Wires, { attrs: { type = '', from, participant, recipient } }: BinaryNode): boolean {
  if (!READ.has(type)) return false;
  return recipient ? isMe(wires, from) : isMe(wires, participant);
}

async function tellSeen(wires: Wires, node: BinaryNode, token: string, caughtUp: () => Promise<void>): Promise<void> {
  const { from = '', recipient } = node.attrs;
  await caughtUp();
  const chat = wires.library.jidNormalizedUser(recipient ?? from);
  wires.keep({ type: 'seen', token, chat, netIds: idsIn(wires, node) }, () =>
    attempt(wires, 'an ack', () => wires.socket.sendMessageAck(node)),
  );
}

const isMe = ({ library, creds: { me } }: Wires, jid: string | undefined): boolean =>
  library.areJidsSameUser(jid, me?.id) || library.areJidsSameUser(jid, me?.lid);

function idsIn({ library }: Wires, node: BinaryNode): readonly string[] {
  const items = library.getBinaryNodeChildren(library.getBinaryNodeChild(node, 'list'), 'item');
  return [node.attrs['id'], ...items.map(({ attrs }) => attrs['id'])].filter((netId): netId is string => !!netId);
}

function receiptEvent(wires: Wires, node: BinaryNode, token: string): Receipt | null {
  const { id, from, participant, recipient, type = '', t } = node.attrs;
  const status = STATUSES[type];
  if (!status || !id || !from) return null;
  // A receipt of another device of our own number tells nothing of the other side, but where that side is our own phone.
  if (recipient || isMe(wires, participant)) return null;
  return { type: 'receipt', token, netIds: idsIn(wires, node), status, at: Number(t ?? 0) * 1_000 };
}
