import { isChannel } from '../channels.ts';
import { isLid, phoneOf, STORIES, userJid } from '../jid.ts';
import type { Whereabouts } from '../port.ts';
import type { Phone } from './phones.ts';

/** Maps a number to a hidden address that is always the same and never looks like a number. */
export const lidOf = (digits: string): string => `99${reversed(digits)}@lid`;

export const numberAt = (address: string): string | null =>
  isLid(address) ? reversed(address.slice(2, -'@lid'.length)) : phoneOf(address);

export function whereabouts(phone: Phone, to: string): Whereabouts {
  const from = phone.lid ? lidOf(phone.digits) : userJid(phone.digits);
  const alt = phone.lid && phone.tellsNumber ? userJid(phone.toldNumber ?? phone.digits) : null;
  // Followers of a channel cannot see who wrote a post, so the channel is shown as the author.
  if (isChannel(to)) return { chat: to, from: to };
  const isGroup = to.endsWith('@g.us') || to === STORIES;
  return {
    chat: isGroup ? to : from,
    ...(alt !== null && !isGroup && { chatAlt: alt }),
    from,
    ...(alt !== null && { fromAlt: alt }),
  };
}

export const ownWhereabouts = ({ from, to }: { readonly from: string; readonly to: string }): Whereabouts => ({
  chat: to,
  from: userJid(from),
});

const reversed = (digits: string): string => [...digits].reverse().join('');
