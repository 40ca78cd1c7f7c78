import type { BinaryNode, Library } from '../library.ts';

export const inside = (node: BinaryNode | undefined, tag?: string): readonly BinaryNode[] =>
  Array.isArray(node?.content) ? node.content.filter((child) => tag === undefined || child.tag === tag) : [];

export const only = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined => inside(node, tag)[0];

export function keep(node: BinaryNode | undefined, isKept: (child: BinaryNode) => boolean): void {
  if (node && Array.isArray(node.content)) node.content = node.content.filter(isKept);
}

export interface Self {
  readonly id: string;
  readonly lid?: string | undefined;
}

export function isThisDevice({ jidDecode }: Library, { id, lid }: Self, jid: string): boolean {
  const one = jidDecode(jid);
  return [id, lid].some((own) => {
    const mine = jidDecode(own);
    return mine !== undefined && mine.user === one?.user && (mine.device ?? 0) === (one.device ?? 0);
  });
}
