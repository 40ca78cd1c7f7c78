import { createHash } from 'node:crypto';
import { type Attributes, children, el, parseJid, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Query } from './query.ts';

const ALL = ['all', 'contacts', 'contact_blacklist', 'none'];
/** Allowed values of each setting. */
const PRIVACY: Readonly<Record<string, readonly string[]>> = {
  readreceipts: ['all', 'none'],
  profile: ALL,
  status: ALL,
  online: ['all', 'match_last_seen'],
  last: ALL,
  groupadd: ALL,
  calladd: ['all', 'known'],
  messages: ['all', 'contacts'],
};
const TIMERS = new Set(['0', '86400', '604800', '7776000']);

const unacceptable = { error: 406, text: 'not-acceptable' } as const;
const wrong = { error: 400, text: 'bad-request' } as const;

export const privacyOf: Query = (_exchange, { account }) => [
  el(
    'privacy',
    {},
    Object.keys(PRIVACY).map((name) => el('category', { name, value: account.privacy.get(name) ?? 'all' })),
  ),
];

export const setPrivacy: Query = ({ people }, linked, asked) => {
  const categories = children(asked, 'category');
  const isKnown = categories.every(({ attrs: { name = '', value = '' } }) => PRIVACY[name]?.includes(value));
  if (categories.length === 0 || !isKnown) return unacceptable;
  for (const { attrs } of categories) linked.account.privacy.set(attrs['name'] ?? '', attrs['value'] ?? '');
  people.accountChanged(linked.account, 'account_sync', [el('privacy', {}, categories)]);
  return [el('privacy', {}, categories)];
};

export const setTimer: Query = ({ people, clock }, linked, asked) => {
  const { duration = '' } = asked.attrs;
  if (!TIMERS.has(duration)) return unacceptable;
  linked.account.timer = Number(duration);
  const t = Math.floor(clock.now() / 1000);
  people.accountChanged(linked.account, 'account_sync', [el('disappearing_mode', { duration, t })]);
  return [];
};

export const timerOf: Query = (_exchange, { account }) => [el('disappearing_mode', { duration: account.timer, t: 0 })];

export const blocklist: Query = (_exchange, { account }) => [listOf(account)];

/** Blocks or unblocks a person. A request must contain both addresses; the network refuses it otherwise. */
export const setBlocked: Query = (exchange, linked, asked) => {
  const { action, jid = '', pn_jid } = asked.attrs;
  const person = exchange.directory.of(jid);
  if (parseJid(jid).domain !== 'lid' || !person) return wrong;
  if (action === 'block' ? pn_jid !== person.jid : action !== 'unblock' || pn_jid !== undefined) return wrong;
  setBlock(exchange, linked.account, person, action === 'block');
  return [listOf(linked.account, { matched: 'false' })];
};

/** Blocks or unblocks a person from the phone or a computer. All computers of the account are notified. */
export function setBlock({ people }: Pick<Exchange, 'people'>, account: Account, person: Account, isBlocked: boolean): void {
  const prev_dhash = hashOf(account);
  if (isBlocked) account.blocked.add(person);
  else account.blocked.delete(person);
  const item = el('item', { jid: person.lidJid, action: isBlocked ? 'block' : 'unblock' });
  people.accountChanged(account, 'account_sync', [el('blocklist', { action: 'modify', dhash: hashOf(account), prev_dhash }, [item])]);
}

/** `matched`: for a change, whether the client already has the rest of the list. */
function listOf(account: Account, said: Attributes = {}): Stanza {
  const items = [...account.blocked].map(({ jid, lidJid, hasNumber }) =>
    el('item', { jid: lidJid, ...(hasNumber ? { pn_jid: jid } : { unknown_identifier: 'true' }) }),
  );
  return el('list', { ...said, dhash: hashOf(account), addressing_mode: 'lid' }, items);
}

const hashOf = ({ blocked }: Account): string =>
  createHash('sha256')
    .update(
      [...blocked]
        .map(({ lidJid }) => lidJid)
        .toSorted()
        .join(','),
    )
    .digest('hex')
    .slice(0, 16);
