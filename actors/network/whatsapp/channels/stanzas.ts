import type { BinaryNode } from '../library.ts';

/**
 * What is written to a channel. The library's own forms of these are refused: it leaves out what kind of file it is, and names edits and
 * deletions by the numbers of other conversations. Nothing here is sealed: the network reads what channels say.
 */

/** Numbers of the attribute `edit`. */
const EDIT = { ofPost: '3', deletion: '8', withdrawn: '7' } as const;

export interface Post {
  readonly to: string;
  readonly netId: string;
  /** The encoded message. */
  readonly bytes: Uint8Array;
  /** Of a file: its kind, and the handle that its upload was answered with. */
  readonly media?: { readonly kind: string; readonly handle: string };
  readonly isPoll?: boolean;
}

export function postStanza({ to, netId: id, bytes, media, isPoll = false }: Post): BinaryNode {
  const type = media ? 'media' : isPoll ? 'poll' : 'text';
  const plaintext = { tag: 'plaintext', attrs: media ? { mediatype: media.kind } : {}, content: bytes };
  const meta = { tag: 'meta', attrs: { polltype: 'creation' } };
  return {
    tag: 'message',
    attrs: { to, id, type, ...(media && { media_id: media.handle }) },
    content: [plaintext, ...(isPoll ? [meta] : [])],
  };
}

/** Under the id of the post itself: that is how the network knows what is edited. */
export function editStanza(to: string, id: string, bytes: Uint8Array): BinaryNode {
  return { tag: 'message', attrs: { to, id, type: 'text', edit: EDIT.ofPost }, content: [{ tag: 'plaintext', attrs: {}, content: bytes }] };
}

/** As `editStanza`, and nothing is left. */
export function erasureStanza(to: string, id: string): BinaryNode {
  return { tag: 'message', attrs: { to, id, type: 'text', edit: EDIT.deletion }, content: [{ tag: 'plaintext', attrs: {} }] };
}

/** '' takes it back. `serverId`: the network's number of the post; its id would be refused. */
export function reactionStanza(to: string, id: string, serverId: string, emoji: string): BinaryNode {
  const code = emoji === '' ? {} : { code: emoji };
  const withdrawn = emoji === '' ? { edit: EDIT.withdrawn } : {};
  return {
    tag: 'message',
    attrs: { to, id, type: 'reaction', server_id: serverId, ...withdrawn },
    content: [{ tag: 'reaction', attrs: code }],
  };
}
