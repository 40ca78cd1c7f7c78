import type { InboundMessage, Whereabouts } from '../port.ts';
import type { Phone } from './phones.ts';
import type { NetworkMessage } from './protocol.ts';

export function inboundOf(
  { netId, content, attachment: file, quotes, mentions, extras, timerAt, renders, at }: NetworkMessage,
  where: Whereabouts,
  { name: fromName, username }: Pick<Phone, 'name' | 'username'>,
): InboundMessage {
  const beside = {
    ...(username !== null && { fromUsername: username }),
    ...(mentions && { mentions }),
    ...(extras && { extras }),
    ...(timerAt !== undefined && { timerAt }),
    ...(renders !== undefined && { renders }),
  };
  return { netId, ...where, fromName, content, ...(file && { file }), quotes, ...beside, at };
}
