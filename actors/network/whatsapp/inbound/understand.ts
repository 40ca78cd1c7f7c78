import type { FieldShape } from '../../../../store/devices/network-unknown.ts';
import { STORIES } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { WAMessage } from '../library.ts';
import { eventsOf, type Reader } from './events.ts';
import { shapeOf, unknownContents, unpadded } from './unknown.ts';
import { unwrap } from './unwrap.ts';

/**
 * What an opened message says. Each becomes an event of the port, is named among what was not understood, or is rightly nothing (keys, pins,
 * notices between clients). Whatever its writer put into it, nothing here throws.
 */

/** Null: it says nothing that the port has. Rejects only where the store could not be asked. `bytes`: without padding; null: not known. */
export async function eventIn(reader: Reader, message: WAMessage, bytes: Uint8Array | null): Promise<KeptEvent | null> {
  return isCleaned(reader, message) ? eventsOf(reader, message, bytes) : null;
}

/** False: it says something of another message, and not of which. */
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

/** What was not understood of a message of which nothing was made; its shape stands beside the first. `padded`: its bytes as they were opened. */
export function unreadIn({ library }: Pick<Reader, 'library'>, { message, key }: WAMessage, padded: Uint8Array | null): readonly Unread[] {
  if (!message || key.remoteJid === STORIES) return [];
  const { plain, bytes } = unwrap(library, message, padded && unpadded(padded));
  const shape = padded ? { fields: shapeOf(padded) } : {};
  return unknownContents(plain, bytes).map((name, nth) => ({ name, ...(nth === 0 && shape) }));
}
