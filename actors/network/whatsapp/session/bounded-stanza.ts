import type { BinaryNode } from '@whiskeysockets/baileys';

/** Maximum number of direct children. An everyday stanza has one to five, and its lists are below them. */
const MOST_AT_THE_TOP = 32;
/**
 * Maximum length of a list: members in a notice of a group, messages in a receipt. Answers to our
 * own queries may be longer, for example the list of all our groups.
 */
const MOST_IN_A_LIST = 2_048;

/**
 * Limits the work that one stanza can cause. Each child costs work (a decryption, a new session, a
 * stored fact), so a list holds each address once, and each level holds a limited number of
 * children. The excess is dropped, and the rest is read. Everyday stanzas are returned unchanged.
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

/** Removes children whose address occurred before in a child of the same kind. */
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
