import { Refusal } from '../../../../runtime/errors.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { BinaryNode, Socket } from '../library.ts';
import { statusOf } from '../session/closing.ts';

export interface Ask {
  readonly xmlns: string;
  readonly type: 'get' | 'set';
  readonly to: string;
  readonly attrs?: Readonly<Record<string, string>>;
  readonly content: readonly BinaryNode[];
}

export interface Asker {
  readonly socket: Pick<Socket, 'query'>;
}

/** Rejects with the network's refusal. Without a response, rejects with DEVICE_TIMEOUT. */
export async function query({ socket }: Asker, { xmlns, type, to, attrs = {}, content }: Ask): Promise<BinaryNode> {
  const iq = { tag: 'iq', attrs: { to, type, xmlns, ...attrs }, ...(content.length > 0 && { content: [...content] }) };
  try {
    const answer: BinaryNode | undefined = await socket.query(iq, ANSWERED_WITHIN_MS);
    if (answer) return answer;
  } catch (cause) {
    throw refusedWith(cause) ?? cause;
  }
  throw new Refusal('DEVICE_TIMEOUT');
}

export const ask = (context: Asker, about: Pick<Ask, 'xmlns' | 'type'>, content: readonly BinaryNode[]): Promise<BinaryNode> =>
  query(context, { ...about, to: THE_SERVER, content });

export const THE_SERVER = 's.whatsapp.net';
const ANSWERED_WITHIN_MS = 15_000;
const TIMED_OUT = 408;

function refusedWith(cause: unknown): Error | null {
  const number = numberOf(cause);
  if (number !== null) return networkRefusal(number);
  return statusOf(cause) === TIMED_OUT ? new Refusal('DEVICE_TIMEOUT') : null;
}

export function numberOf(cause: unknown): number | null {
  if (typeof cause !== 'object' || cause === null || !('data' in cause)) return null;
  const number = Number(cause.data);
  return Number.isInteger(number) && number > 0 ? number : null;
}

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

export const children = (node: BinaryNode | undefined, tag?: string): readonly BinaryNode[] =>
  Array.isArray(node?.content) ? node.content.filter((child) => tag === undefined || child.tag === tag) : [];

export const child = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined => children(node, tag)[0];

export function textOf(node: BinaryNode | undefined): string | null {
  const { content } = node ?? {};
  if (content instanceof Uint8Array) return Buffer.from(content).toString();
  return typeof content === 'string' ? content : null;
}
