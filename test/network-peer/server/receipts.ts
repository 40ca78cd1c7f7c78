import { children, el, type Stanza } from '../stanza.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';
import { isChannel } from './posts.ts';

/** Receipts by which a device tells that it has a message. There are none of posts: it acknowledges them. */
const HAS_IT = new Set([undefined, 'inactive', 'peer_msg', 'sender', 'hist_sync']);

/** A client tells what it has, has read or cannot read. */
export async function takeReceipt(exchange: Exchange, linked: Linked, receipt: Stanza): Promise<void> {
  const { id = '', to, type, participant } = receipt.attrs;
  linked.connection?.send(el('ack', { class: 'receipt', id, from: to, type, participant }));
  const ids = [id, ...children(receipt, 'list').flatMap((list) => children(list, 'item').map(({ attrs }) => attrs['id'] ?? ''))];
  if (HAS_IT.has(type) && !isChannel(to ?? '')) for (const each of ids) linked.mailbox.takeMessage(each);
  await exchange.people.hearsReceipt(linked, receipt, ids);
}
