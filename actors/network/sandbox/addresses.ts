import { isChannel } from '../channels.ts';
import { isLid, phoneOf, STORIES, userJid } from '../jid.ts';
import type { Whereabouts } from '../port.ts';
import type { Phone } from './phones.ts';

/** The hidden address of a number: always the same, and unlike any number. */
export const lidOf = (digits: string): string => `99${reversed(digits)}@lid`;

/** The number behind an address of a person; null for all other addresses. */
export const numberAt = (address: string): string | null =>
  isLid(address) ? reversed(address.slice(2, -'@lid'.length)) : phoneOf(address);

/** Where a device receives what a phone writes to `to`. */
export function whereabouts(phone: Phone, to: string): Whereabouts {
  const from = phone.lid ? lidOf(phone.digits) : userJid(phone.digits);
  const alt = phone.lid && phone.tellsNumber ? userJid(phone.toldNumber ?? phone.digits) : null;
  // Who writes in a channel is not told to those who follow it.
  if (isChannel(to)) return { chat: to, from: to };
  const isGroup = to.endsWith('@g.us') || to === STORIES;
  return {
    chat: isGroup ? to : from,
    ...(alt !== null && !isGroup && { chatAlt: alt }),
    from,
    ...(alt !== null && { fromAlt: alt }),
  };
}

/** Where another device of the same number receives what its phone did. */
export const ownWhereabouts = ({ from, to }: { readonly from: string; readonly to: string }): Whereabouts => ({
  chat: to,
  from: userJid(from),
});

const reversed = (digits: string): string => [...digits].reverse().join('');
