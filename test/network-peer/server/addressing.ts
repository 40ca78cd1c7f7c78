import { createHmac } from 'node:crypto';
import { bytesOf, child, children, isGroup, parseJid, SERVER, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';
import { STORIES } from './posts.ts';

/** The chats of the author's account were moved to hidden addresses, or the recipient wants a token. */
const NOT_HERE = 463;
const MALFORMED = 400;

/**
 * What the server has against the addresses of a message to a person: one by number from an account whose chats were moved, one by hidden address from
 * an account whose chats were not (unless there is no number), and any that mixes the two. Of an account of which nothing is known all is taken.
 */
export function refusesForm({ directory }: Exchange, { account }: Linked, stanza: Stanza): number | null {
  const { to = '' } = stanza.attrs;
  const other = isGroup(to) || to === STORIES ? null : directory.of(to);
  if (!other || other === account) return null;
  const isHidden = parseJid(to).domain === 'lid';
  const parts = children(child(stanza, 'participants'), 'to');
  if (parts.some(({ attrs: { jid = '' } }) => (parseJid(jid).domain === 'lid') !== isHidden)) return MALFORMED;
  if (account.isMigrated === true && !isHidden) return NOT_HERE;
  if (account.isMigrated === false && isHidden && other.hasNumber) return MALFORMED;
  return hasToken(account, other, stanza) ? null : NOT_HERE;
}

/** Of a recipient who wants one: the token that they gave the author, or the author's own proof for strangers. Their answers need none. */
function hasToken(author: Account, other: Account, stanza: Stanza): boolean {
  if (!other.wantsToken) return true;
  const [token, proof] = [child(stanza, 'tctoken'), child(stanza, 'cstoken')];
  const given = author.tokens.get(other);
  if (token && given) return bytesOf(token).equals(given);
  return proof !== undefined && author.salt !== null && bytesOf(proof).equals(proofFor(author.salt, other));
}

const proofFor = (salt: Buffer, { lidJid }: Account): Buffer => createHmac('sha256', salt).update(lidJid).digest();

/** Devices of others are not told by number to an account whose chats were moved. */
export const isUntold = (asking: Account, other: Account, jid: string): boolean =>
  asking.isMigrated === true && !asking.seesDevicesByNumber && other !== asking && parseJid(jid).domain === SERVER;
