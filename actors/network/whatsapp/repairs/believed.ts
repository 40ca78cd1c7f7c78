import type { BinaryNode, Library } from '../library.ts';
import type { Self } from './stanzas.ts';

/** Attributes that a client writes on its message, and that say whose addresses belong together. */
const WRITTEN_BY_CLIENTS = [
  'peer_recipient_pn',
  'peer_recipient_lid',
  'peer_recipient_username',
  'recipient_pn',
  'recipient_lid',
  'recipient_username',
];

/**
 * Of a message of somebody else only the server's own attributes (`sender_*`, `participant_*`) say which addresses belong together. The library also
 * believes what the writer's client may have written itself: here that is taken away. Messages of our own account keep it.
 */
export function believed(stanza: BinaryNode, library: Library, { id, lid }: Self): void {
  if (stanza.tag !== 'message') return;
  const author = stanza.attrs['participant'] ?? stanza.attrs['from'];
  if (library.areJidsSameUser(author, id) || library.areJidsSameUser(author, lid)) return;
  for (const name of WRITTEN_BY_CLIENTS) delete stanza.attrs[name];
}
