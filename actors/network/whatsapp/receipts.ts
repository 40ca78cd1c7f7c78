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
 * message once more stay the library's.
 */
export function hearReceipts(wires: Wires): void {
  const { ws } = wires.socket;
  const again = ws.listeners('CB:receipt');
  ws.removeAllListeners('CB:receipt');
  let heard = 0;
  let tail: Promise<void> = Promise.resolve();
  ws.on('CB:receipt', (node: BinaryNode) => {
    if (node.attrs['type'] === 'retry') return void again.map((listener) => listener(node));
    heard += 1;
    const token = `receipt ${heard}`;
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

function receiptEvent({ library, creds }: Wires, node: BinaryNode, token: string): Receipt | null {
  const { id, from, participant, recipient, type = '', t } = node.attrs;
  const status = STATUSES[type];
  if (!status || !id || !from) return null;
  // A receipt of another device of our own number tells nothing of the other side, but where that side is our own phone.
  if (recipient || library.areJidsSameUser(participant, creds.me?.id) || library.areJidsSameUser(participant, creds.me?.lid)) return null;
  const list = library.getBinaryNodeChild(node, 'list');
  const more = library.getBinaryNodeChildren(list, 'item').map(({ attrs }) => attrs['id'] ?? '');
  return { type: 'receipt', token, netIds: [id, ...more].filter((netId) => netId !== ''), status, at: Number(t ?? 0) * 1_000 };
}
