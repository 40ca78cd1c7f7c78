import { type Exchange, seconds } from '../server/exchange.ts';
import { bundleNodes } from '../server/keys.ts';
import type { PeerMessage } from '../server/messages.ts';
import { bigEndian, el, jidOf, parseJid, type Stanza } from '../stanza.ts';
import type { Handset } from './handset.ts';

const MAX_RETRIES = 5;

/** Number of times each message was requested again, by device. */
export type AskedAgain = Map<string, number>;

/**
 * Requests a message again from its author because a device could not decrypt it. The second request includes new
 * keys.
 */
export function askAgain(exchange: Exchange, handset: Handset, envelope: PeerMessage, asked: AskedAgain): void {
  const { id, author, group, to } = envelope;
  const count = (asked.get(`${handset.device} ${id}`) ?? 0) + 1;
  if (count > MAX_RETRIES) return;
  asked.set(`${handset.device} ${id}`, count);
  const isHidden = group?.addressing === 'lid' || parseJid(to).domain === 'lid';
  const own = isHidden ? handset.lid : handset.jid;
  const isOwnPhone = author.account === handset.account;
  const from = group ? { from: group.jid, participant: own } : { from: own, recipient: isOwnPhone ? plain(to) : null };
  const t = seconds(exchange);
  const keys = count > 1 ? [freshKeys(handset)] : [];
  author.deliver(
    el('receipt', { ...from, id, type: 'retry', t }, [
      el('retry', { count, id, t, v: 1 }),
      el('registration', {}, bigEndian(handset.keys.registrationId, 4)),
      ...keys,
    ]),
  );
}

function freshKeys(handset: Handset): Stanza {
  const [, ...keys] = bundleNodes(handset.bundle());
  return el('keys', {}, keys);
}

const plain = (jid: string): string => jidOf(parseJid(jid).user, parseJid(jid).domain);
