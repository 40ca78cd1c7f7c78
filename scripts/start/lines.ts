import { memberOf } from '../../runtime/shapes.ts';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUE_BITS = 5;
const IS_MORE = 1 << VALUE_BITS;

/**
 * A source map as a table: four numbers for each place of the bundle at which another line of the sources begins, in the order of the bundle (`line`,
 * `column`, which `sources` it is, its `line`). A hundredth of the memory that reading the map takes.
 */
export function linesOf(map: string, sources: readonly string[]): Uint8Array {
  const read: unknown = JSON.parse(map);
  const [mappings, named] = [memberOf(read, 'mappings'), memberOf(read, 'sources')];
  if (typeof mappings !== 'string' || !Array.isArray(named)) throw new Error('the map of the bundle has another shape');
  const placeOf = new Map(sources.map((path, place) => [path, place]));
  const places = named.map((path) => placeOf.get(String(path)) ?? -1);
  const table: number[] = [];
  let [source, sourceLine] = [0, 0];
  let before = '';
  for (const [line, segments] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of segments.split(',').filter((one) => one !== '')) {
      const [columns = 0, files = 0, lines = 0] = numbersIn(segment);
      column += columns;
      source += files;
      sourceLine += lines;
      const name = `${source}:${sourceLine}`;
      if (name !== before) table.push(line + 1, column, places[source] ?? -1, sourceLine + 1);
      before = name;
    }
  }
  return new Uint8Array(Uint32Array.from(table).buffer);
}

/** Five bits a digit, the lowest first; the lowest bit of the whole is its sign. */
function numbersIn(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & (IS_MORE - 1)) << shift;
    shift += VALUE_BITS;
    if (bits & IS_MORE) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
