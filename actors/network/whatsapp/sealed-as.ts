import type { BinaryNode } from '@whiskeysockets/baileys';

/**
 * Attribute with the `mediatype` for encrypted parts. The library's own value does not support
 * links and round videos.
 */
export const SEALED_AS = 'sealed_as';

function sealedAs({ tag, attrs, content }: BinaryNode, mediatype: string): BinaryNode {
  const inside = Array.isArray(content) ? { content: content.map((child) => sealedAs(child, mediatype)) } : content && { content };
  return { tag, attrs: tag === 'enc' ? { ...attrs, mediatype } : attrs, ...inside };
}

/** Moves the attribute from the message to its encrypted parts; stanzas without it are returned unchanged. */
export function marked(node: BinaryNode): BinaryNode {
  const mediatype = node.attrs?.[SEALED_AS];
  if (mediatype === undefined) return node;
  const { [SEALED_AS]: _, ...attrs } = node.attrs;
  return sealedAs({ ...node, attrs }, mediatype);
}
