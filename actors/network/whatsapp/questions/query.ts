import { Refusal } from '../../../../runtime/errors.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { BinaryNode, Socket } from '../library.ts';
import { statusOf } from '../session/closing.ts';

/** One question to the network: its namespace, whether it changes something, whom it is for, and what it says. */
export interface Ask {
  readonly xmlns: string;
  readonly type: 'get' | 'set';
  readonly to: string;
  /** More attributes of the question. */
  readonly attrs?: Readonly<Record<string, string>>;
  readonly content: readonly BinaryNode[];
}

/** What a question goes through. */
export interface Asker {
  readonly socket: Pick<Socket, 'query'>;
}

/**
 * Asks the network once, and gives its answer. Rejects with the network's refusal by its number (network-refusal.ts), and DEVICE_TIMEOUT without
 * an answer: the library takes a question that was never answered for one without an answer, and a change so for one that is done.
 */
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

/** A question about this account itself. */
export const ask = (context: Asker, about: Pick<Ask, 'xmlns' | 'type'>, content: readonly BinaryNode[]): Promise<BinaryNode> =>
  query(context, { ...about, to: THE_SERVER, content });

export const THE_SERVER = 's.whatsapp.net';
/** By itself the library waits for a minute. */
const ANSWERED_WITHIN_MS = 15_000;
const TIMED_OUT = 408;

/** A refusal of the network, as the library throws it; null: something else went wrong. */
function refusedWith(cause: unknown): Error | null {
  const number = numberOf(cause);
  if (number !== null) return networkRefusal(number);
  return statusOf(cause) === TIMED_OUT ? new Refusal('DEVICE_TIMEOUT') : null;
}

/** The network's number for a refusal, of what the library throws; null: it is none. */
export function numberOf(cause: unknown): number | null {
  if (typeof cause !== 'object' || cause === null || !('data' in cause)) return null;
  const number = Number(cause.data);
  return Number.isInteger(number) && number > 0 ? number : null;
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
export const children = (node: BinaryNode | undefined, tag?: string): readonly BinaryNode[] =>
  Array.isArray(node?.content) ? node.content.filter((child) => tag === undefined || child.tag === tag) : [];

export const child = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined => children(node, tag)[0];

/** What a stanza says as text; null: nothing. */
export function textOf(node: BinaryNode | undefined): string | null {
  const { content } = node ?? {};
  if (content instanceof Uint8Array) return Buffer.from(content).toString();
  return typeof content === 'string' ? content : null;
}
