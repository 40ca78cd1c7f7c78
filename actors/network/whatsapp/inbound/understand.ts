import type { FieldShape } from '../../../../store/devices/network-unknown.ts';
import { STORIES } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { WAMessage } from '../library.ts';
import { eventsOf, type Reader } from './events.ts';
import { shapeOf, unknownContents, unpadded } from './unknown.ts';
import { unwrap } from './unwrap.ts';

/**
 * Interprets an opened message. It becomes an event of the port, is recorded as not understood, or
 * is deliberately ignored (keys, pins, notices between clients). No content of a message makes this
 * code throw.
 */

/**
 * Returns the event of a message; null when the port has none for it. Rejects only when the store
 * could not be read. `bytes`: without padding; null when unknown.
 */
export async function eventIn(reader: Reader, message: WAMessage, bytes: Uint8Array | null): Promise<KeptEvent | null> {
  return isCleaned(reader, message) ? eventsOf(reader, message, bytes) : null;
}

/**
 * Whether the library can normalize the message. It fails at an act on another message that does
 * not name that message.
 */
function isCleaned({ library, creds: { me } }: Reader, message: WAMessage): boolean {
  try {
    library.cleanMessage(message, me.id, me.lid ?? '');
    return true;
  } catch {
    return false;
  }
}

export interface Unread {
  readonly name: string;
  readonly fields?: readonly FieldShape[];
}

/**
 * Returns the parts that were not understood in a message without an event; the first one includes
 * its shape. `padded`: the bytes as they were decrypted.
 */
export function unreadIn({ library }: Pick<Reader, 'library'>, { message, key }: WAMessage, padded: Uint8Array | null): readonly Unread[] {
  if (!message || key.remoteJid === STORIES) return [];
  const { plain, bytes } = unwrap(library, message, padded && unpadded(padded));
  const shape = padded ? { fields: shapeOf(padded) } : {};
  return unknownContents(plain, bytes).map((name, nth) => ({ name, ...(nth === 0 && shape) }));
}
