import { decodeNode, encodeNode } from 'whatsapp-rust-bridge';
import type { Stanza } from '../stanza.ts';

/** The network's binary form of a stanza, in other code than the client's. */
export const encodeStanza = (stanza: Stanza): Uint8Array => encodeNode(stanza);

/** Throws at anything that is no stanza. An address without a user (`@s.whatsapp.net`) comes out as its bare domain. */
export function decodeStanza(bytes: Uint8Array): Stanza {
  const node = decodeNode(bytes);
  try {
    const { tag, attrs, content } = node;
    return content === undefined ? { tag, attrs } : { tag, attrs, content };
  } finally {
    node.free();
  }
}
