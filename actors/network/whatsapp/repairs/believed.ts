import type { BinaryNode, Library } from '../library.ts';
import type { Self } from './stanzas.ts';

/** Attributes that a client writes on its message, and that claim which addresses belong together. */
const WRITTEN_BY_CLIENTS = [
  'peer_recipient_pn',
  'peer_recipient_lid',
  'peer_recipient_username',
  'recipient_pn',
  'recipient_lid',
  'recipient_username',
];

/**
 * Removes claims about addresses from others' messages. Only the server's own attributes
 * (`sender_*`, `participant_*`) prove anything, but the library trusts those of the author's client
 * too.
 */
export function believed(stanza: BinaryNode, library: Library, { id, lid }: Self): void {
  if (stanza.tag !== 'message') return;
  const author = stanza.attrs['participant'] ?? stanza.attrs['from'];
  if (library.areJidsSameUser(author, id) || library.areJidsSameUser(author, lid)) return;
  for (const name of WRITTEN_BY_CLIENTS) delete stanza.attrs[name];
}
