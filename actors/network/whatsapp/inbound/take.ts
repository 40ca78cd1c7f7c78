import type { BinaryNode, Socket } from '../library.ts';

/**
 * Takes stanzas of one kind over from the library, as they come. It would look for listeners under each attribute of a stanza in three ways, which
 * costs more than opening and reading it: what is left to it of these has no name and no attributes.
 */
export function take(ws: Socket['ws'], isOurs: (node: BinaryNode) => boolean, receive: (node: BinaryNode) => void): void {
  ws.on('frame', (node: BinaryNode | Uint8Array) => {
    if (node instanceof Uint8Array || !isOurs(node)) return;
    const own = { ...node };
    Object.assign(node, { tag: '', attrs: {}, content: undefined });
    receive(own);
  });
}
