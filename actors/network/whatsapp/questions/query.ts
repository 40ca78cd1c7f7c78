import { networkRefusal } from '../../network-refusal.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** One question to the network: its namespace, whether it changes something, whom it is for, and what it says. */
export interface Ask {
  readonly xmlns: string;
  readonly type: 'get' | 'set';
  readonly to: string;
  /** More attributes of the question. */
  readonly attrs?: Readonly<Record<string, string>>;
  readonly content: readonly BinaryNode[];
}

/** Asks the network, and gives its answer. Rejects with the network's refusal by its number (network-refusal.ts). */
export async function query({ socket }: ConnectionContext, { xmlns, type, to, attrs = {}, content }: Ask): Promise<BinaryNode> {
  try {
    return await socket.query({ tag: 'iq', attrs: { to, type, xmlns, ...attrs }, content: [...content] });
  } catch (cause) {
    throw refusedWith(cause) ?? cause;
  }
}

/** A refusal of the network, as the library throws it; null: something else went wrong. */
function refusedWith(cause: unknown): Error | null {
  if (typeof cause !== 'object' || cause === null || !('data' in cause)) return null;
  const number = Number(cause.data);
  return Number.isInteger(number) && number > 0 ? networkRefusal(number) : null;
}

/** A stanza. Attributes without a value are left out. */
export const el = (
  tag: string,
  attrs: Readonly<Record<string, string | null | undefined>> = {},
  content?: BinaryNode['content'],
): BinaryNode => ({
  tag,
  attrs: Object.fromEntries(
    Object.entries(attrs).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])),
  ),
  ...(content !== undefined && { content }),
});

/** The children of a stanza, of one tag where one is named. */
export const children = ({ content }: BinaryNode, tag?: string): readonly BinaryNode[] =>
  Array.isArray(content) ? content.filter((child) => tag === undefined || child.tag === tag) : [];

export const child = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined => (node ? children(node, tag)[0] : undefined);

/** What a stanza says as text; null: nothing. */
export function textOf(node: BinaryNode | undefined): string | null {
  const { content } = node ?? {};
  if (content instanceof Uint8Array) return Buffer.from(content).toString();
  return typeof content === 'string' ? content : null;
}
