import type { BinaryNode, Library } from '../library.ts';
import type { Self } from './stanzas.ts';

const WRITTEN_BY_CLIENTS = [
  'peer_recipient_pn',
  'peer_recipient_lid',
  'peer_recipient_username',
  'recipient_pn',
  'recipient_lid',
  'recipient_username',
];

/** Removes attributes that the author could forge. Only the server sets `sender_*` and `participant_*`. */
export function believed(stanza: BinaryNode, library: Library, { id, lid }: Self): void {
  if (stanza.tag !== 'message') return;
  const author = stanza.attrs['participant'] ?? stanza.attrs['from'];
  if (library.areJidsSameUser(author, id) || library.areJidsSameUser(author, lid)) return;
  for (const name of WRITTEN_BY_CLIENTS) delete stanza.attrs[name];
}
