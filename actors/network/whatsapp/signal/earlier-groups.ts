import { memberOf } from '../../../../runtime/shapes.ts';
import { type Part, written } from '../libsignal/record.ts';

/** A sender key's state in the format of the library's own Signal code. */
interface EarlierState {
  readonly senderKeyId: number;
  readonly senderChainKey: { readonly iteration: number; readonly seed: unknown };
  readonly senderSigningKey: { readonly public: unknown; readonly private: unknown };
  readonly senderMessageKeys: readonly { readonly iteration: number; readonly seed: unknown }[];
}

const OPENS_PER_LIST = 0x5b;
const TYPE = 5;

export const isEarlier = (record: Uint8Array): boolean => record[0] === OPENS_PER_LIST;

/** In the old format, the newest state is the last one; in the new format, it is the first one. */
export function groupFromEarlier(record: Uint8Array): Uint8Array {
  const states: readonly EarlierState[] = JSON.parse(Buffer.from(record).toString());
  const ids = new Map(states.toReversed().map((state) => [state.senderKeyId, state]));
  return written(...[...ids.values()].map((state): Part => [1, stateOf(state)]));
}

function stateOf({ senderKeyId, senderChainKey, senderSigningKey, senderMessageKeys }: EarlierState): Uint8Array {
  const own = bytes(senderSigningKey.private);
  const isOwn = own.length > 0;
  // Drop the skipped keys of our own chain, because they never decrypt a message.
  const passed = isOwn ? [] : senderMessageKeys;
  return written(
    [1, senderKeyId],
    [2, written([1, senderChainKey.iteration], [2, bytes(senderChainKey.seed)])],
    [3, written([1, typed(bytes(senderSigningKey.public))], ...(isOwn ? [[2, own] as const] : []))],
    ...passed.map(({ iteration, seed }): Part => [4, written([1, iteration], [2, bytes(seed)])]),
  );
}

const typed = (key: Uint8Array): Uint8Array => (key.length === 32 ? Buffer.concat([Uint8Array.of(TYPE), key]) : key);

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  const data = memberOf(value, 'data') ?? Object.values(value ?? {});
  if (typeof data === 'string') return Buffer.from(data, 'base64');
  return Uint8Array.from(Array.isArray(data) ? data : []);
}
