import type { FieldShape } from '../../../../store/devices/network-unknown.ts';
import { STORIES } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { WAMessage } from '../library.ts';
import { eventsOf, type Reader } from './events.ts';
import { shapeOf, unknownContents, unpadded } from './unknown.ts';
import { unwrap } from './unwrap.ts';

/**
 * Interprets a decrypted message: returns an event, records data that is not understood, or ignores
 * the message (keys, pins). Does not throw, whatever the message contains.
 */

/** Rejects only if the store cannot be read. */
export async function eventIn(reader: Reader, message: WAMessage, bytes: Uint8Array | null): Promise<KeptEvent | null> {
  return isCleaned(reader, message) ? eventsOf(reader, message, bytes) : null;
}

/** Returns false if the library throws, for example for an edit without a target. */
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

/** Returns the parts of a message that are not understood. `padded` is the decrypted message. */
export function unreadIn({ library }: Pick<Reader, 'library'>, { message, key }: WAMessage, padded: Uint8Array | null): readonly Unread[] {
  if (!message || key.remoteJid === STORIES) return [];
  const { plain, bytes } = unwrap(library, message, padded && unpadded(padded));
  const shape = padded ? { fields: shapeOf(padded) } : {};
  return unknownContents(plain, bytes).map((name, nth) => ({ name, ...(nth === 0 && shape) }));
}
