/** Reads and writes protocol buffers, as far as stored Signal sessions need it. */

const NUMBER = 0;
const BYTES = 2;

export type Fields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

/** Throws a RangeError if the bytes contain anything other than number and byte fields. */
export function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = varint(bytes, at);
    const [value, after] = varint(bytes, afterTag);
    const isBytes = (tag & 7) === BYTES;
    if (!isBytes && (tag & 7) !== NUMBER) throw new RangeError('a field of another type');
    const end = isBytes ? after + value : after;
    if (end > bytes.length) throw new RangeError('a field that does not end');
    const known = fields.get(tag >>> 3) ?? [];
    known.push(isBytes ? bytes.subarray(after, end) : value);
    fields.set(tag >>> 3, known);
    at = end;
  }
  return fields;
}

export function bytesOf(fields: Fields, field: number): Uint8Array | null {
  const value = fields.get(field)?.[0];
  return value instanceof Uint8Array ? value : null;
}

export function numberOf(fields: Fields, field: number): number | null {
  const value = fields.get(field)?.[0];
  return typeof value === 'number' ? value : null;
}

export type Part = readonly [field: number, value: number | Uint8Array];

export function written(...parts: readonly Part[]): Uint8Array {
  return Buffer.concat(
    parts.flatMap(([field, value]) => {
      if (typeof value === 'number') return [varintOf(field * 8 + NUMBER), varintOf(value)];
      return [varintOf(field * 8 + BYTES), varintOf(value.length), value];
    }),
  );
}

function varint(bytes: Uint8Array, at: number): readonly [value: number, after: number] {
  let value = 0;
  for (let place = 0; place < 10; place += 1) {
    const byte = bytes[at + place];
    if (byte === undefined) break;
    value += (byte & 127) * 128 ** place;
    if (byte < 128) return [value, at + place + 1];
  }
  throw new RangeError('a number that does not end');
}

function varintOf(number: number): Uint8Array {
  const bytes: number[] = [];
  let left = number;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Uint8Array.from([...bytes, left]);
}
