import { createHmac } from 'node:crypto';
import { bytesOf, child, children, isGroup, parseJid, SERVER, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';
import { STORIES } from './posts.ts';

/** Error code: the author's account uses hidden addresses, or the recipient requires a token. */
const NOT_HERE = 463;
const MALFORMED = 400;

/**
 * Returns the error code for a message to a person with wrong addresses; null if they are accepted. Accounts with
 * migrated chats must use hidden addresses; others must use numbers (unless the recipient has none). Mixed addresses
 * are always wrong. Accounts in an unknown state may use either.
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

/**
 * Whether the message carries a required token: the one that the recipient gave the author, or the author's proof for
 * strangers. Replies to the recipient do not need a token.
 */
function hasToken(author: Account, other: Account, stanza: Stanza): boolean {
  if (!other.wantsToken) return true;
  const [token, proof] = [child(stanza, 'tctoken'), child(stanza, 'cstoken')];
  const given = author.tokens.get(other);
  if (token && given) return bytesOf(token).equals(given);
  return proof !== undefined && author.salt !== null && bytesOf(proof).equals(proofFor(author.salt, other));
}

const proofFor = (salt: Buffer, { lidJid }: Account): Buffer => createHmac('sha256', salt).update(lidJid).digest();

/** Whether a device query by number is refused because the account's chats were migrated. */
export const isUntold = (asking: Account, other: Account, jid: string): boolean =>
  asking.isMigrated === true && !asking.seesDevicesByNumber && other !== asking && parseJid(jid).domain === SERVER;
