import { invalidField, refusal } from '../../actors/domain/refusals.ts';
import { type JsonLimits, JsonTooMuch } from '../../runtime/json-scan.ts';
import { type SlicedJsonOptions, slicedJson } from '../../runtime/sliced-json.ts';
import { MAX_BODY_BYTES, MAX_DEPTH, MAX_KEYS, TOO_DEEP, TOO_MANY_KEYS, type Walk, walk } from './body.ts';
import type { Text } from './language.ts';

export const LONG_BYTES = 64 * 1024;
const MAX_VALUES = 20_000;

interface LongJsonOptions extends Omit<SlicedJsonOptions, 'limits' | 'visit'> {
  /** Limits the keys in the whole body. Each list item, and everything outside lists, may have `MAX_KEYS`. */
  readonly maxKeys: number;
}

/** Also fails with PAYLOAD_TOO_LARGE if a single item is longer than a body without lists may be. */
export async function longJson(bytes: Buffer, { maxKeys, ...options }: LongJsonOptions): Promise<unknown> {
  const limits: JsonLimits = {
    depth: MAX_DEPTH,
    keys: maxKeys,
    itemKeys: MAX_KEYS,
    values: maxKeys + MAX_VALUES,
    itemBytes: MAX_BODY_BYTES,
  };
  const seen: Walk = { keys: 0, maxKeys };
  try {
    return await slicedJson(bytes, { ...options, limits, visit: (part, field) => walk(part, field ?? '', field === null ? 1 : 2, seen) });
  } catch (cause) {
    throw refusalOf(cause);
  }
}

function refusalOf(cause: unknown): unknown {
  if (cause instanceof SyntaxError) return refusal('INVALID_JSON');
  if (!(cause instanceof JsonTooMuch)) return cause;
  switch (cause.limit) {
    case 'bytes':
      return refusal('PAYLOAD_TOO_LARGE', { reason: TOO_LONG });
    case 'depth':
      return invalidField('body', TOO_DEEP);
    case 'keys':
      return invalidField('body', TOO_MANY_KEYS);
    case 'values':
      return invalidField('body', TOO_MANY_VALUES);
  }
}

const TOO_LONG: Text = {
  en: `each list item, and everything outside the lists, may have at most ${MAX_BODY_BYTES} bytes`,
  id: `setiap butir daftar, dan semua isi di luar daftar, paling banyak ${MAX_BODY_BYTES} byte`,
};
const TOO_MANY_VALUES: Text = {
  en: 'the lists in the body have too many items',
  id: 'daftar dalam isi permintaan memiliki terlalu banyak butir',
};
