import type { BinaryNode, Library } from '../library.ts';
import type { Self } from './stanzas.ts';

/** Attributes that clients write on their messages to claim which addresses belong together. */
const WRITTEN_BY_CLIENTS = [
  'peer_recipient_pn',
  'peer_recipient_lid',
  'peer_recipient_username',
  'recipient_pn',
  'recipient_lid',
  'recipient_username',
];

/**
 * Removes claims about addresses from other people's messages. Only the server's own attributes
 * (`sender_*`, `participant_*`) are proof, but the library also trusts attributes written by the
 * author's client.
 */
export function believed(stanza: BinaryNode, library: Library, { id, lid }: Self): void {
  if (stanza.tag !== 'message') return;
  const author = stanza.attrs['participant'] ?? stanza.attrs['from'];
  if (library.areJidsSameUser(author, id) || library.areJidsSameUser(author, lid)) return;
  for (const name of WRITTEN_BY_CLIENTS) delete stanza.attrs[name];
}
