import { oneOf, type Random } from '../../../runtime/random.ts';

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff] as const;
const LONGEST_RUN = 64;

export function mutated(valid: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(valid);
  for (let left = 1 + Math.floor(random() * 8); left > 0; left -= 1) bytes = oneOf(MUTATIONS, random)(bytes, random);
  return bytes;
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const placeIn = (bytes: Buffer, random: Random): number => Math.floor(random() * bytes.length);

const overwrite =
  (size: number, value: (random: Random) => number): Mutation =>
  (bytes, random) => {
    const place = placeIn(bytes, random);
    for (let nth = 0; nth < size && place + nth < bytes.length; nth += 1) bytes[place + nth] = value(random);
    return bytes;
  };

const MUTATIONS: readonly Mutation[] = [
  overwrite(1, (random) => Math.floor(random() * 256)),
  overwrite(1, (random) => oneOf(INTERESTING, random)),
  // Writes the largest value of a two-byte or four-byte length.
  overwrite(2, () => 0xff),
  overwrite(4, () => 0xff),
  overwrite(4, () => 0),
  (bytes, random) => bytes.subarray(0, placeIn(bytes, random) + 1),
  (bytes, random) => {
    const [from, to] = [placeIn(bytes, random), placeIn(bytes, random)].toSorted((a, b) => a - b);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  (bytes, random) => {
    const [from, to] = [placeIn(bytes, random), placeIn(bytes, random)].toSorted((a, b) => a - b);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  (bytes, random) => {
    const place = placeIn(bytes, random);
    const run = Buffer.alloc(1 + Math.floor(random() * LONGEST_RUN), Math.floor(random() * 256));
    return Buffer.concat([bytes.subarray(0, place), run, bytes.subarray(place)]);
  },
];
