import { child, children, el, jidOf, parseJid, SERVER, type Stanza, textOf } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import { addressesOf, listHash } from './notices.ts';
import type { Query } from './query.ts';

/** Tells what is asked about people: whether they are on the network, their devices, hidden address, status. */
export const usync: Query = (exchange, _linked, asked) => {
  const wanted = children(child(asked, 'query')).map(({ tag }) => tag);
  const users = children(child(asked, 'list'), 'user').map((user) => told(exchange, user, wanted));
  return [el('usync', asked.attrs, [el('result', {}, []), el('list', {}, users)])];
};

function told(exchange: Exchange, user: Stanza, wanted: readonly string[]): Stanza {
  const typed = textOf(user, 'contact');
  const jid = user.attrs['jid'] ?? jidOf(typed.replace('+', '').replace(/@.*/, ''), SERVER);
  const account = exchange.directory.of(jid);
  const { user: name, domain } = parseJid(jid);
  const other = exchange.faults.tells(user.attrs['jid'] === undefined ? el('user', { jid }) : user);
  if (other) return el('user', { jid: `${name}@${domain}` }, other);
  const facts = wanted.flatMap((each) => fact(account?.onNetwork ? account : null, each, { typed, jid }));
  return el('user', { jid: `${name}@${domain}` }, facts);
}

function fact(account: Account | null, wanted: string, { typed, jid }: { typed: string; jid: string }): readonly Stanza[] {
  if (wanted === 'contact') return [el('contact', { type: account ? 'in' : 'out' }, typed)];
  if (!account) return [];
  switch (wanted) {
    case 'devices':
      return [
        el('devices', {}, [
          el('device-list', { hash: listHash(addressesOf(account, parseJid(jid).domain === 'lid' ? 'lid' : 'jid')) }, devicesOf(account)),
        ]),
      ];
    case 'lid':
      return [el('lid', { val: account.lidJid })];
    case 'status':
      return [account.hidesAbout ? el('status', { code: 401, type: 'fail' }) : el('status', { t: 0 }, account.about ?? '')];
    case 'business':
      return account.business ? [el('business', {}, [el('verified_name', {})])] : [];
    default:
      return [];
  }
}

/** The phone first; every other device with the number of its key. */
function devicesOf({ handsets, linked }: Account): readonly Stanza[] {
  const numbers = [...handsets.keys(), ...linked.keys()].toSorted((a, b) => a - b);
  return numbers.map((id) => el('device', { id, 'key-index': id || null }));
}
