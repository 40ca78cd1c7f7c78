import type { BinaryNode, proto } from '../library.ts';
import { calculateMAC, deriveSecret } from '../libsignal/crypto.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { HIDDEN } from '../signal/warm-seals.ts';

/** The parts that the token covers, by field number. Null means the whole field. */
type Fields = ReadonlyMap<number, Fields | null>;

const whole = (...numbers: readonly number[]): readonly (readonly [number, null])[] => numbers.map((number) => [number, null]);
const FORWARDED: Fields = new Map(whole(21, 22));
const withContext = (context: number, ...numbers: readonly number[]): Fields => new Map([...whole(...numbers), [context, FORWARDED]]);
const CHOICES: Fields = new Map(whole(1, 2));
const VIDEO = withContext(17, 2, 6, 7, 13, 20);

const PLAIN: readonly (readonly [number, Fields | null])[] = [
  [1, null],
  [3, withContext(17, 2, 3, 8, 11, 25)],
  [4, withContext(17, 1, 16)],
  [5, withContext(17, 3, 4, 5, 16)],
  [6, withContext(17, 1, 30)],
  [7, withContext(17, 2, 7, 10, 20)],
  [8, withContext(17, 2, 7, 9, 21)],
  [9, VIDEO],
  [26, withContext(17, 4, 5, 8, 13)],
  [28, withContext(7, 1, 2, 4, 5, 6)],
  [
    64,
    new Map([
      [2, null],
      [3, CHOICES],
      [5, FORWARDED],
      [8, CHOICES],
    ]),
  ],
  [66, VIDEO],
];
/** Field numbers of wrappers: documents with a caption and view-once messages. */
const WRAPPERS = [53, 55, 59];
const MESSAGE: Fields = new Map([...PLAIN, ...WRAPPERS.map((number) => [number, new Map([[1, new Map(PLAIN)]])] as const)]);

const VERSION = '2';
const TOKEN_BYTES = 16;
const USE = 'Report Token';

type Parts = Pick<ConnectionContext, 'library' | 'creds' | 'account'>;

interface Written {
  readonly netId: string;
  readonly to: string;
  readonly message: proto.IMessage;
  readonly padded?: Uint8Array;
}

/** Creates the token with which the network checks a reported message (`repairs/no-report.ts`). */
export function reportingNodes(context: Parts, { netId, to, message, padded }: Written): readonly BinaryNode[] {
  const secret = message.messageContextInfo?.messageSecret;
  if (!secret) return [];
  const bytes = padded ? withoutPadding(padded) : context.library.proto.Message.encode(message).finish();
  const content = partsOf(bytes, MESSAGE);
  if (!content || content.length === 0) return [];
  const key = deriveSecret(secret, Buffer.from(`${netId}${writerTo(context, to)}${to}${USE}`));
  const token = calculateMAC(key, content).subarray(0, TOKEN_BYTES);
  return [{ tag: 'reporting', attrs: {}, content: [{ tag: 'reporting_token', attrs: { v: VERSION }, content: token }] }];
}

function writerTo({ library, creds: { me }, account }: Parts, to: string): string {
  const isHidden = to.endsWith('@g.us') ? (account.groups.get(to)?.addressingMode ?? HIDDEN) === HIDDEN : to.endsWith(`@${HIDDEN}`);
  return library.jidNormalizedUser(isHidden && me.lid ? me.lid : me.id);
}

const withoutPadding = (padded: Uint8Array): Uint8Array => padded.subarray(0, padded.length - (padded.at(-1) ?? 0));

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
const TYPE_BITS = 3;

function partsOf(bytes: Uint8Array, fields: Fields): Buffer | null {
  const parts: { readonly number: number; readonly bytes: Uint8Array }[] = [];
  for (let start = 0; start < bytes.length; ) {
    const tag = varintAt(bytes, start);
    if (!tag) return null;
    const number = tag.value >>> TYPE_BITS;
    const value = valueAt(bytes, tag.end, tag.value & (2 ** TYPE_BITS - 1));
    if (!value || value.end > bytes.length) return null;
    const inside = fields.get(number);
    if (inside === null) parts.push({ number, bytes: bytes.subarray(start, value.end) });
    else if (inside) {
      const chosen = partsOf(bytes.subarray(value.start, value.end), inside);
      if (!chosen) return null;
      if (chosen.length > 0) parts.push({ number, bytes: Buffer.concat([varint(tag.value), varint(chosen.length), chosen]) });
    }
    start = value.end;
  }
  return Buffer.concat(parts.toSorted((one, other) => one.number - other.number).map((part) => part.bytes));
}

function valueAt(bytes: Uint8Array, start: number, type: number): { readonly start: number; readonly end: number } | null {
  if (type === FIXED64) return { start, end: start + 8 };
  if (type === FIXED32) return { start, end: start + 4 };
  if (type !== VARINT && type !== BYTES) return null;
  const number = varintAt(bytes, start);
  if (!number) return null;
  return type === VARINT ? { start, end: number.end } : { start: number.end, end: number.end + number.value };
}

const SEVEN_BITS = 0x7f;
const MORE = 0x80;
const MAX_VARINT = 10;

function varintAt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let nth = 0; nth < MAX_VARINT; nth += 1) {
    const byte = bytes[start + nth];
    if (byte === undefined) return null;
    value += (byte & SEVEN_BITS) * 2 ** (7 * nth);
    if (byte < MORE) return { value, end: start + nth + 1 };
  }
  return null;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > SEVEN_BITS; left = Math.floor(left / MORE)) bytes.push((left % MORE) + MORE);
  return Buffer.from([...bytes, left]);
}
