import { child, children, el, parseJid, type Stanza, textOf } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Query } from './query.ts';

/** Tells what is asked about people: whether they are on the network, their devices, hidden address, status. */
export const usync: Query = (exchange, _linked, asked) => {
  const wanted = children(child(asked, 'query')).map(({ tag }) => tag);
  const users = children(child(asked, 'list'), 'user').map((user) => told(exchange, user, wanted));
  return [el('usync', asked.attrs, [el('result', {}, []), el('list', {}, users)])];
};

function told({ directory }: Exchange, user: Stanza, wanted: readonly string[]): Stanza {
  const typed = textOf(user, 'contact');
  const jid = user.attrs['jid'] ?? `${typed.replace('+', '')}@s.whatsapp.net`;
  const account = directory.of(jid);
  const { user: name, domain } = parseJid(jid);
  const facts = wanted.flatMap((each) => fact(account?.onNetwork ? account : null, each, typed));
  return el('user', { jid: `${name}@${domain}` }, facts);
}

function fact(account: Account | null, wanted: string, typed: string): readonly Stanza[] {
  if (wanted === 'contact') return [el('contact', { type: account ? 'in' : 'out' }, typed)];
  if (!account) return [];
  switch (wanted) {
    case 'devices':
      return [el('devices', {}, [el('device-list', { hash: '2:peer' }, devicesOf(account))])];
    case 'lid':
      return [el('lid', { val: account.lidJid })];
    case 'status':
      return [el('status', { t: 0 }, account.about ?? '')];
    default:
      return [];
  }
}

/** The phone first; every other device with the number of its key. */
function devicesOf({ handsets, linked }: Account): readonly Stanza[] {
  const numbers = [...handsets.keys(), ...linked.keys()].toSorted((a, b) => a - b);
  return numbers.map((id) => el('device', { id, 'key-index': id || null }));
}
