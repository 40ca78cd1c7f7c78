import type { BinaryNode } from '@whiskeysockets/baileys';

/** A stanza of everyday life holds one to five children, and its lists are below them. */
const MOST_AT_THE_TOP = 32;
/** Members that one notice of a group names, and messages that one receipt is about. An answer of ours may be longer: all our groups, say. */
const MOST_IN_A_LIST = 2_048;

/**
 * Bounds what one stanza can make the driver do. Each child costs work (an opened seal, a started session, a stored fact), so a list holds nobody
 * twice, and a level holds only so many children. What is beyond that is left out; the rest is read. Stanzas of everyday life are given as
 * they are.
 */
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

/** Without those whose address stood there before, of the same kind. */
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
