import { el, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Linked } from './linked.ts';

/** Tells one computer something that is no message. It is told again at each login until it acknowledges. */
export function notify(
  exchange: Exchange,
  to: Linked,
  from: string,
  type: string,
  content: readonly Stanza[],
  more: Stanza['attrs'] = {},
): void {
  to.deliver(el('notification', { from, type, id: exchange.luck.messageId(), t: seconds(exchange), ...more }, content));
}

/** Tells every computer of everybody else something about an account. */
export function announce(exchange: Exchange, account: Account, type: string, content: readonly Stanza[]): void {
  for (const other of exchange.directory.all) {
    if (other === account) continue;
    for (const linked of other.linked.values()) notify(exchange, linked, account.jid, type, content);
  }
}
