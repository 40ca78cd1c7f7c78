import type { BinaryNode } from '@whiskeysockets/baileys';

/** Replaces the library's `mediatype`, which supports neither links nor round videos. */
export const SEALED_AS = 'sealed_as';

function sealedAs({ tag, attrs, content }: BinaryNode, mediatype: string): BinaryNode {
  const inside = Array.isArray(content) ? { content: content.map((child) => sealedAs(child, mediatype)) } : content && { content };
  return { tag, attrs: tag === 'enc' ? { ...attrs, mediatype } : attrs, ...inside };
}

export function marked(node: BinaryNode): BinaryNode {
  const mediatype = node.attrs?.[SEALED_AS];
  if (mediatype === undefined) return node;
  const { [SEALED_AS]: _, ...attrs } = node.attrs;
  return sealedAs({ ...node, attrs }, mediatype);
}
