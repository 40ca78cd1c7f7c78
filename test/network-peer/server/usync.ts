import { child, children, el, jidOf, parseJid, SERVER, type Stanza, textOf } from '../stanza.ts';
import type { Account } from './account.ts';
import { isUntold } from './addressing.ts';
import type { Exchange } from './exchange.ts';
import { addressesOf, listHash } from './notices.ts';
import type { Query } from './query.ts';

/** Answers queries about people: registration, devices, hidden address, about text. */
export const usync: Query = (exchange, linked, asked) => {
  const query = child(asked, 'query');
  const wanted = children(query).map(({ tag }) => tag);
  const byLid = child(query, 'contact')?.attrs['addressing_mode'] === 'lid';
  const users = children(child(asked, 'list'), 'user').map((user) => told({ exchange, asking: linked.account, wanted, byLid }, user));
  return [el('usync', asked.attrs, [el('result', {}, []), el('list', {}, users)])];
};

interface Asked {
  readonly exchange: Exchange;
  readonly asking: Account;
  readonly wanted: readonly string[];
  /** Whether numbers are answered with hidden addresses. */
  readonly byLid: boolean;
}

function told({ exchange, asking, wanted, byLid }: Asked, user: Stanza): Stanza {
  const { username, pin } = child(user, 'contact')?.attrs ?? {};
  if (username) return named(exchange.directory.called(username), pin);
  const typed = textOf(user, 'contact');
  const digits = typed.replace('+', '').replace(/@.*/, '');
  const byText = user.attrs['jid'] === undefined ? exchange.directory.typed(digits) : null;
  const jid = user.attrs['jid'] ?? jidOf(digits, SERVER);
  const known = byText ?? exchange.directory.of(jid);
  const { user: name, domain } = parseJid(jid);
  const other = exchange.faults.tells(user.attrs['jid'] === undefined ? el('user', { jid }) : user);
  if (other) return el('user', { jid: `${name}@${domain}` }, other);
  const isThere = known?.onNetwork && (known.hasNumber || domain === 'lid');
  const account = isThere ? known : null;
  const facts = wanted.flatMap((each) => fact(account, each, { typed, jid, asking }));
  return el(
    'user',
    account && !(domain === SERVER && !byLid && exchange.directory.isServedAs(name))
      ? addressOf(account, domain === 'lid' || (byLid && byText !== null), jid)
      : { jid: `${name}@${domain}` },
    facts,
  );
}

/** Finds a protected username only with its key. */
function named(account: Account | null, pin: string | null | undefined): Stanza {
  if (!account?.onNetwork) return el('user', {}, [el('contact', { type: 'out' })]);
  if (account.usernameKey !== null && account.usernameKey !== pin) return el('user', {}, [el('contact', {})]);
  return el('user', { jid: account.lidJid }, [el('contact', { type: 'in', username: account.username ?? '' })]);
}

/** Returns a hidden address with the registered number. */
function addressOf(account: Account, isHidden: boolean, asked: string) {
  if (isHidden) return { jid: account.lidJid, pn_jid: account.hasNumber ? account.jid : null };
  const { user, domain } = parseJid(asked);
  return { jid: domain === SERVER ? account.jid : `${user}@${domain}` };
}

function fact(
  account: Account | null,
  wanted: string,
  { typed, jid, asking }: { typed: string; jid: string; asking: Account },
): readonly Stanza[] {
  if (wanted === 'contact') return [el('contact', { type: account ? 'in' : 'out' }, Buffer.from(typed))];
  if (!account) return [];
  switch (wanted) {
    case 'devices':
      if (isUntold(asking, account, jid)) return [el('devices', {}, [el('device-list', {}, [])])];
      return [
        el('devices', {}, [
          el('device-list', { hash: listHash(addressesOf(account, parseJid(jid).domain === 'lid' ? 'lid' : 'jid')) }, devicesOf(account)),
        ]),
      ];
    case 'lid':
      return account.hidesLid ? [] : [el('lid', { val: account.lidJid })];
    case 'status':
      return [account.hidesAbout ? el('status', { code: 401, type: 'fail' }) : el('status', { t: 0 }, account.about ?? '')];
    case 'business':
      return account.business ? [el('business', {}, [el('verified_name', {})])] : [];
    default:
      return [];
  }
}

/** Lists the phone first, then other devices with their key index. */
function devicesOf({ handsets, linked }: Account): readonly Stanza[] {
  const numbers = [...handsets.keys(), ...linked.keys()].toSorted((a, b) => a - b);
  return numbers.map((id) => el('device', { id, 'key-index': id || null }));
}
