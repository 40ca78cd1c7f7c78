import type { BinaryNode } from '@whiskeysockets/baileys';

/**
 * Set on a message: the `mediatype` of its sealed parts. The library reads that off the message without its wrappers,
 * and knows neither links nor round videos.
 */
export const SEALED_AS = 'sealed_as';

function sealedAs({ tag, attrs, content }: BinaryNode, mediatype: string): BinaryNode {
  const inside = Array.isArray(content) ? { content: content.map((child) => sealedAs(child, mediatype)) } : content && { content };
  return { tag, attrs: tag === 'enc' ? { ...attrs, mediatype } : attrs, ...inside };
}

/** With the mark moved from the message to its sealed parts; most stanzas have none and stay as they are. */
export function marked(node: BinaryNode): BinaryNode {
  const mediatype = node.attrs?.[SEALED_AS];
  if (mediatype === undefined) return node;
  const { [SEALED_AS]: _, ...attrs } = node.attrs;
  return sealedAs({ ...node, attrs }, mediatype);
}
