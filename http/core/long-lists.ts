/**
 * Validates bodies with long lists without blocking the event loop. Items that are certainly valid
 * skip Joi, which validates the others a few per event-loop tick.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import Joi from 'joi';
import { MAX_FAULTS } from '../../actors/domain/refusals.ts';
import { describe, itemOf, listsOf, withoutItems } from './joi-reflection.ts';
import { never } from './list-item-rules.ts';
import { itemTestOf } from './list-item-test.ts';

export interface Verdict {
  readonly value: unknown;
  readonly details: readonly Joi.ValidationErrorItem[];
}

export type Turn = () => Promise<unknown>;

/**
 * Number of items passed to Joi per call. 10,000 recipients at once would block the event loop for
 * a third of a second.
 */
const SHOWN = 100;
/**
 * Number of values passed to Joi per call. 100 messages that mention 256 people each would take a
 * fifth of a second.
 */
const SHOWN_VALUES = 1_000;

interface ListField {
  readonly name: string;
  certainly(item: unknown): boolean;
  readonly bare: Joi.Schema;
  readonly least: number;
}

interface LongList extends ListField {
  readonly list: readonly unknown[];
  readonly parts: readonly (readonly number[])[];
  readonly result: unknown[];
}

export function longListsApart(
  schema: Joi.Schema,
  judge: (value: unknown) => Verdict,
): (value: unknown, turn?: Turn) => Verdict | Promise<Verdict> {
  const fields = listsOf(schema).flatMap(([name, list]) => listField(name, list) ?? []);
  return (value, turn = nextTurn) => {
    if (fields.length === 0 || typeof value !== 'object' || value === null) return judge(value);
    const long = fields.flatMap((field) => longIn(value, field) ?? []);
    return long.length === 0 ? judge(value) : inParts(value, long, judge, turn);
  };
}

function listField(name: string, list: Joi.Schema): ListField | null {
  const item = itemOf(list);
  if (!item || !(itemTestOf(list) ?? itemTestOf(withoutItems(list)))) return null;
  const { rules = [] } = describe(list);
  const certainly = itemTestOf(item) ?? never;
  if (certainly === never && rules.some((rule) => rule.name === 'unique')) return null;
  const least = Number(rules.find((rule) => rule.name === 'min')?.args?.['limit'] ?? 0);
  return { name, certainly, least, bare: Joi.object({ [name]: withoutItems(list) }).prefs({ convert: false, abortEarly: false }) };
}

function longIn(value: object, field: ListField): LongList | null {
  const list: unknown = field.name in value ? Reflect.get(value, field.name) : null;
  if (!Array.isArray(list)) return null;
  const weights = list.map(valuesIn);
  if (list.length <= SHOWN && weights.reduce((sum, weight) => sum + weight, 0) <= SHOWN_VALUES) return null;
  return { ...field, list, parts: partsOf(list, weights, field), result: [...list] };
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const one of Object.values(value)) values += valuesIn(one);
  return values;
}

/**
 * Fills up each part to the list's minimum length, so that the schema does not reject it as too
 * short.
 */
function partsOf(list: readonly unknown[], weights: readonly number[], { certainly, least }: ListField): number[][] {
  const parts: number[][] = [[]];
  let [part, weight] = [parts[0] ?? [], 0];
  for (const [place, item] of list.entries()) {
    if (certainly(item)) continue;
    const own = weights[place] ?? 0;
    if (part.length >= SHOWN || (part.length > 0 && weight + own > SHOWN_VALUES)) {
      [part, weight] = [[], 0];
      parts.push(part);
    }
    part.push(place);
    weight += own;
  }
  return parts.map((places) => padded(places, Math.min(least, list.length)));
}

function padded(places: readonly number[], least: number): number[] {
  const all = new Set(places);
  for (let place = 0; all.size < least; place += 1) all.add(place);
  return [...all];
}

async function inParts(value: object, long: readonly LongList[], judge: (value: unknown) => Verdict, turn: Turn): Promise<Verdict> {
  const ofLists = long.flatMap(({ name, list, bare }) => bare.validate({ [name]: list.map(plainAt) }).error?.details ?? []);
  const isKnown = ({ type, path }: Joi.ValidationErrorItem): boolean =>
    ofLists.some((known) => known.type === type && known.path.join('.') === path.join('.'));
  const details = [...ofLists];
  const parts = Math.max(...long.map((list) => list.parts.length));
  for (let part = 0; ; part += 1) {
    const verdict = judgePart(value, long, part, judge);
    details.push(...verdict.details.filter((detail) => !isKnown(detail)));
    if (details.length > MAX_FAULTS || part === parts - 1) return { ...verdict, details };
    await turn();
  }
}

/** A unique placeholder, because Joi would otherwise compare object items with each other. */
const plainAt = (item: unknown, place: number): unknown => (typeof item === 'object' ? `\0${place}` : item);

function judgePart(value: object, long: readonly LongList[], part: number, judge: (value: unknown) => Verdict): Verdict {
  const shown = long.map((list) => ({ ...list, places: list.parts[part] ?? padded([], Math.min(list.least, list.list.length)) }));
  const items = shown.map(({ name, list, places }) => [name, places.map((place) => list[place])]);
  const verdict = judge({ ...value, ...Object.fromEntries(items) });
  const details = verdict.details.map((detail) => ({ ...detail, path: pathIn(shown, detail.path) }));
  if (details.length > 0) return { value, details };
  const valid: object = Object(verdict.value);
  for (const { name, places, result } of shown) for (const [nth, place] of places.entries()) result[place] = Reflect.get(valid, name)[nth];
  return { value: Object.assign(valid, Object.fromEntries(shown.map(({ name, result }) => [name, result]))), details };
}

function pathIn(
  shown: readonly { readonly name: string; readonly places: readonly number[] }[],
  path: readonly (string | number)[],
): (string | number)[] {
  const [top, nth, ...rest] = path;
  const place = shown.find(({ name }) => name === top)?.places[Number(nth)];
  return top === undefined || place === undefined ? [...path] : [top, place, ...rest];
}
