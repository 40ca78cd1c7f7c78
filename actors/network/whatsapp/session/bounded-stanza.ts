import type { BinaryNode } from '@whiskeysockets/baileys';

/** Maximum number of direct children. Ordinary stanzas have up to five, because lists are deeper. */
const MOST_AT_THE_TOP = 32;
/** Maximum number of list entries, such as group members. Responses to our own queries may have more. */
const MOST_IN_A_LIST = 2_048;

/** Limits the work that one stanza can cause. Any excess is dropped. */
export function bounded(stanza: BinaryNode): BinaryNode {
  const { tag, content } = stanza;
  if (!Array.isArray(content) || (content.length <= 1 && !isLong(content[0]))) return stanza;
  const inLists = tag === 'iq' ? Number.POSITIVE_INFINITY : MOST_IN_A_LIST;
  return { ...stanza, content: within(content, MOST_AT_THE_TOP, inLists) };
}

const isLong = (child: BinaryNode | undefined): boolean => Array.isArray(child?.content) && child.content.length > 1;

function within(children: readonly BinaryNode[], most: number, inLists: number): BinaryNode[] {
  const first = children.length > most ? children.slice(0, most) : children;
  return once(first).map((child) => {
    const { content } = child;
    return Array.isArray(content) && content.length > 1 ? { ...child, content: within(content, inLists, inLists) } : child;
  });
}

function once(children: readonly BinaryNode[]): readonly BinaryNode[] {
  const seen = new Set<string>();
  return children.filter(({ tag, attrs }) => {
    const { jid } = attrs;
    if (jid === undefined) return true;
    const known = seen.has(`${tag} ${jid}`);
    seen.add(`${tag} ${jid}`);
    return !known;
  });
}
