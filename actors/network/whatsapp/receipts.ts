import type { KeptEvent } from '../port.ts';
import type { BinaryNode } from './library.ts';
import { attempt, type Wires } from './wires.ts';

type Status = Extract<KeptEvent, { type: 'receipt' }>['status'];

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
  ws.on('CB:receipt', (node: BinaryNode) => {
    if (node.attrs['type'] === 'retry') return void again.map((listener) => listener(node));
    const acknowledge = (): void => attempt(wires, 'an ack', () => wires.socket.sendMessageAck(node));
    heard += 1;
    const event = receiptEvent(wires, node, `receipt ${heard}`);
    if (event) wires.keep(event, acknowledge);
    else acknowledge();
  });
}

function receiptEvent({ library, creds }: Wires, node: BinaryNode, token: string): KeptEvent | null {
  const { id, from, participant, recipient, type = '', t } = node.attrs;
  const status = STATUSES[type];
  if (!status || !id || !from) return null;
  // A receipt of another device of our own number tells nothing of the other side.
  const by = participant ?? from;
  if (recipient || library.areJidsSameUser(by, creds.me?.id) || library.areJidsSameUser(by, creds.me?.lid)) return null;
  const list = library.getBinaryNodeChild(node, 'list');
  const more = library.getBinaryNodeChildren(list, 'item').map(({ attrs }) => attrs['id'] ?? '');
  return { type: 'receipt', token, netIds: [id, ...more].filter((netId) => netId !== ''), status, at: Number(t ?? 0) * 1_000 };
}
