/**
 * Parses megabytes of JSON like JSON.parse, but in slices of a few milliseconds. Parsing all of it
 * at once would block the event loop for a tenth of a second. The structure is scanned first, so a
 * text that exceeds a limit is never parsed. Long lists of records are fields of the root object,
 * so these lists are parsed in parts and the rest at once. (A worker would have to copy the value
 * back in one step.) Rejects with JsonTooMuch, and with SyntaxError for invalid JSON or UTF-8.
 */

import { isUtf8 } from 'node:buffer';
import { at } from './invariant.ts';
import { type JsonLimits, type List, type Part, Scan } from './json-scan.ts';
import { isRecord } from './shapes.ts';

const SLICE_BYTES = 256 * 1024;
const PART_BYTES = 64 * 1024;

export interface SlicedJsonOptions {
  readonly limits: JsonLimits;
  /** Resolves when the next slice may be processed in the current event-loop tick. */
  readonly turn: () => Promise<void>;
  /** Called with the root without list items (`field` is null), then with parts of each list. */
  readonly visit?: (part: unknown, field: string | null) => void;
  readonly sliceBytes?: number;
  readonly partBytes?: number;
}

export async function slicedJson(bytes: Buffer, options: SlicedJsonOptions): Promise<unknown> {
  const { limits, turn, visit = () => {}, sliceBytes = SLICE_BYTES, partBytes = PART_BYTES } = options;
  await turn();
  if (!isUtf8(bytes)) throw new SyntaxError('no UTF-8');
  const scan = new Scan(bytes, limits, partBytes);
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    scan.upTo(Math.min(bytes.length, from + sliceBytes));
    await turn();
  }
  const rest: unknown = JSON.parse(scan.rest());
  visit(rest, null);
  if (!isRecord(rest) || scan.lists.length === 0) return rest;
  const names = new Map(Object.entries(rest).map(([name, value]) => [Array.isArray(value) ? value[0] : null, name]));
  const lists: unknown[][] = [];
  for (const [nth, list] of scan.lists.entries()) {
    const items: unknown[] = [];
    for (const part of list.parts) {
      await turn();
      const some = itemsIn(bytes, part, list);
      visit(some, names.get(nth) ?? '');
      for (const one of some) items.push(one);
    }
    lists.push(items);
  }
  await turn();
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, Array.isArray(value) ? at(lists, value[0]) : value]));
}

function itemsIn(bytes: Buffer, { from, to, items }: Part, { parts }: List): readonly unknown[] {
  const some: unknown = JSON.parse(`[${bytes.toString('utf8', from, to)}]`);
  const count = Array.isArray(some) ? some.length : 0;
  const isEmptyList = count === 0 && items === 1 && parts.length === 1;
  if (!Array.isArray(some) || (count !== items && !isEmptyList)) throw new SyntaxError('a comma before nothing');
  return some;
}
