import { children, el, type Stanza } from '../stanza.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';
import { notify } from './notices.ts';
import { isChannel } from './posts.ts';

/** Receipt types that confirm the arrival of a message. Posts are acknowledged without a receipt. */
const HAS_IT = new Set([undefined, 'inactive', 'peer_msg', 'sender', 'hist_sync']);

/** Handles a client's receipt: delivered, read, or not decryptable. */
export async function takeReceipt(exchange: Exchange, linked: Linked, receipt: Stanza): Promise<void> {
  const { id = '', to, type, participant } = receipt.attrs;
  linked.connection?.send(el('ack', { class: 'receipt', id, from: to, type, participant }));
  if (type === 'server-error') return refuseFile(exchange, linked, receipt);
  const ids = [id, ...children(receipt, 'list').flatMap((list) => children(list, 'item').map(({ attrs }) => attrs['id'] ?? ''))];
  if (HAS_IT.has(type) && !isChannel(to ?? '')) for (const each of ids) linked.mailbox.takeMessage(each);
  await exchange.people.hearsReceipt(linked, receipt, ids);
}

const NOT_THERE = 2;

/** Refuses a computer's request that its phone upload a file again. Simulated phones do not keep files. */
function refuseFile(exchange: Exchange, linked: Linked, receipt: Stanza): void {
  const { id = '' } = receipt.attrs;
  notify(exchange, linked, linked.account.jid, 'mediaretry', [el('error', { code: NOT_THERE }), ...children(receipt, 'rmr')], { id });
}
