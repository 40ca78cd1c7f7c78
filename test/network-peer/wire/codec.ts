import { decodeNode, encodeNode } from 'whatsapp-rust-bridge';
import type { Stanza } from '../stanza.ts';

/** Encodes a stanza in the network's binary format. Independent of the client's code. */
export const encodeStanza = (stanza: Stanza): Uint8Array => encodeNode(stanza);

/**
 * Throws on anything that is not a stanza. An address without a user (`@s.whatsapp.net`) is decoded as its bare
 * domain.
 */
export function decodeStanza(bytes: Uint8Array): Stanza {
  const node = decodeNode(bytes);
  try {
    const { tag, attrs, content } = node;
    return content === undefined ? { tag, attrs } : { tag, attrs, content };
  } finally {
    node.free();
  }
}
