import { children, el, type Stanza } from '../stanza.ts';
import { ACCOUNT_QUERIES } from './account-queries.ts';
import { syncSettings } from './app-state.ts';
import { CHANNEL_QUERIES } from './channel-queries.ts';
import type { Exchange } from './exchange.ts';
import { createGroup, leaveGroups, setGroup } from './group-changes.ts';
import { GROUP_QUERIES } from './group-queries.ts';
import { groupQuery, participating } from './groups.ts';
import { countKeys, digestKeys, fetchKeys, rotateKey, uploadKeys } from './keys.ts';
import type { Linked } from './linked.ts';
import { authorization, mediaHosts } from './profiles.ts';
import type { Answer, Query } from './query.ts';
import { usync } from './usync.ts';

const nothing: Query = () => [];

/** All queries that the server answers, by namespace/type/first child. */
const QUERIES: Readonly<Record<string, Query>> = {
  'w:p/get/ping': nothing,
  'w:p/get/': nothing,
  'passive/set/active': nothing,
  'passive/set/passive': nothing,
  'md/set/remove-companion-device': nothing,
  'encrypt/get/count': countKeys,
  'encrypt/get/digest': digestKeys,
  'encrypt/set/registration': uploadKeys,
  'encrypt/set/identity': uploadKeys,
  'encrypt/set/rotate': rotateKey,
  'encrypt/get/key': fetchKeys,
  'usync/get/usync': usync,
  'abt/get/props': propsOf,
  ...ACCOUNT_QUERIES,
  ...CHANNEL_QUERIES,
  ...GROUP_QUERIES,
  'privacy/set/tokens': nothing,
  'urn:xmpp:whatsapp:dirty/set/clean': nothing,
  'w:sync:app:state/set/sync': syncSettings,
  'w:mex/get/query': authorization,
  'w:m/set/media_conn': mediaHosts,
  'w:g2/set/create': createGroup,
  'w:g2/set/leave': leaveGroups,
  'w:g2/set/subject': setGroup,
  'w:g2/set/add': setGroup,
  'w:g2/set/remove': setGroup,
  'w:g2/set/promote': setGroup,
  'w:g2/set/demote': setGroup,
  'w:g2/get/query': groupQuery,
  'w:g2/get/participating': participating,
};

/** Returns the server's properties for an account; empty if the client already has this version (by hash). */
function propsOf(_exchange: Exchange, { account }: Linked, { attrs }: Stanza): Answer {
  const { isMigrated, tellsMigration, salt } = account;
  const isMoved = isMigrated !== null && tellsMigration ? [el('prop', { config_code: 9435, config_value: isMigrated ? 1 : 0 })] : [];
  const props = [...isMoved, ...(salt ? [el('prop', { config_code: 24_941, config_value: 1 })] : [])];
  const hash = `peer ${props.map((prop) => prop.attrs['config_value']).join('')}`;
  return [el('props', { protocol: 1, hash, refresh: 86_400 }, attrs['hash'] === hash ? [] : props)];
}

export function answer(exchange: Exchange, linked: Linked, iq: Stanza): Answer {
  const [asked = iq] = children(iq);
  const name = `${iq.attrs['xmlns'] ?? ''}/${iq.attrs['type']}/${asked === iq ? '' : asked.tag}`;
  if (exchange.faults.refusesQuestion(linked.account.digits, iq.attrs['xmlns'] ?? '')) return { error: 429, text: 'rate-overlimit' };
  const query = QUERIES[name];
  if (query) return query(exchange, linked, asked, iq);
  exchange.journal.event('trouble', linked.line, { what: 'unknown question', name });
  return { error: 501, text: 'feature-not-implemented' };
}
