import type { BinaryNode } from '../library.ts';

/**
 * Builds the stanzas for channels, because the network rejects the stanzas that the library builds.
 * Their content is not encrypted, because channels have no end-to-end encryption.
 */

const EDIT = { ofPost: '3', deletion: '8', withdrawn: '7' } as const;

export interface Post {
  readonly to: string;
  readonly netId: string;
  readonly bytes: Uint8Array;
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

export function editStanza(to: string, id: string, bytes: Uint8Array): BinaryNode {
  return { tag: 'message', attrs: { to, id, type: 'text', edit: EDIT.ofPost }, content: [{ tag: 'plaintext', attrs: {}, content: bytes }] };
}

export function erasureStanza(to: string, id: string): BinaryNode {
  return { tag: 'message', attrs: { to, id, type: 'text', edit: EDIT.deletion }, content: [{ tag: 'plaintext', attrs: {} }] };
}

/** Names the post by its number (`serverId`), because the network does not accept its network id here. */
export function reactionStanza(to: string, id: string, serverId: string, emoji: string): BinaryNode {
  const code = emoji === '' ? {} : { code: emoji };
  const withdrawn = emoji === '' ? { edit: EDIT.withdrawn } : {};
  return {
    tag: 'message',
    attrs: { to, id, type: 'reaction', server_id: serverId, ...withdrawn },
    content: [{ tag: 'reaction', attrs: code }],
  };
}
