/**
 * Validates bodies with long lists without blocking the event loop: items that are certainly valid
 * skip Joi; Joi validates the others a few at a time.
 */

import Joi from 'joi';
import { itemOf, listsOf, withoutItems } from './joi-reflection.ts';
import { itemTestOf } from './list-item-test.ts';

/** Joi's result for a value; `details` is empty if the value is valid. */
export interface Verdict {
  readonly value: unknown;
  readonly details: readonly Joi.ValidationErrorItem[];
}

/**
 * Items of a long list that Joi validates at once: 10,000 recipients would block the event loop for
 * a third of a second.
 */
const SHOWN = 100;

/** A list field of a body whose items can be validated without Joi. */
interface ListField {
  readonly name: string;
  certainly(item: unknown): boolean;
  /** Validates the list as a whole, without its items. */
  readonly bare: Joi.Schema;
}

interface LongList extends ListField {
  readonly list: readonly unknown[];
  readonly doubtful: readonly number[];
  readonly plain: readonly number[];
  readonly result: unknown[];
}

/** Passes only items that are not certainly valid to `judge`, a few at a time. Fault paths refer to the whole list. */
export function longListsApart(schema: Joi.Schema, judge: (value: unknown) => Verdict): (value: unknown) => Verdict {
  const fields = listsOf(schema).flatMap(([name, list]) => listField(name, list) ?? []);
  return (value) => {
    if (fields.length === 0 || typeof value !== 'object' || value === null) return judge(value);
    const long = fields.flatMap((field) => longIn(value, field) ?? []);
    return long.length === 0 ? judge(value) : inParts(value, long, judge);
  };
}

function listField(name: string, list: Joi.Schema): ListField | null {
  const item = itemOf(list);
  const certainly = item && itemTestOf(list) && itemTestOf(item);
  return certainly && { name, certainly, bare: Joi.object({ [name]: withoutItems(list) }).prefs({ convert: false, abortEarly: false }) };
}

function longIn(value: object, field: ListField): LongList | null {
  const list: unknown = field.name in value ? Reflect.get(value, field.name) : null;
  if (!Array.isArray(list) || list.length <= SHOWN) return null;
  const doubtful: number[] = [];
  const plain: number[] = [];
  for (const [place, item] of list.entries()) {
    if (!field.certainly(item)) doubtful.push(place);
    else if (plain.length < SHOWN) plain.push(place);
  }
  return { ...field, list, doubtful, plain, result: [...list] };
}

function inParts(value: object, long: readonly LongList[], judge: (value: unknown) => Verdict): Verdict {
  const ofLists = long.flatMap(({ name, list, bare }) => bare.validate({ [name]: list.map(plainAt) }).error?.details ?? []);
  const isKnown = ({ type, path }: Joi.ValidationErrorItem): boolean =>
    ofLists.some((known) => known.type === type && known.path.join('.') === path.join('.'));
  const parts = Math.max(1, ...long.map(({ doubtful }) => Math.ceil(doubtful.length / SHOWN)));
  for (let part = 1; ; part += 1) {
    const verdict = judgePart(value, long, part, judge);
    const details = [...ofLists, ...verdict.details.filter((detail) => !isKnown(detail))];
    if (details.length > 0 || part === parts) return { ...verdict, details };
  }
}

/** A unique placeholder, because Joi would compare object items with each other. */
const plainAt = (item: unknown, place: number): unknown => (typeof item === 'object' ? `\0${place}` : item);

function judgePart(value: object, long: readonly LongList[], part: number, judge: (value: unknown) => Verdict): Verdict {
  const shown = long.map((list) => ({ ...list, places: placesOf(list, part) }));
  const items = shown.map(({ name, list, places }) => [name, places.map((place) => list[place])]);
  const verdict = judge({ ...value, ...Object.fromEntries(items) });
  const details = verdict.details.map((detail) => ({ ...detail, path: pathIn(shown, detail.path) }));
  if (details.length > 0) return { value, details };
  const valid: object = Object(verdict.value);
  for (const { name, places, result } of shown) for (const [nth, place] of places.entries()) result[place] = Reflect.get(valid, name)[nth];
  return { value: Object.assign(valid, Object.fromEntries(shown.map(({ name, result }) => [name, result]))), details };
}

/** Indexes of the items passed to Joi: items that need it, plus others because a list may have a minimum length. */
const placesOf = ({ doubtful, plain }: LongList, part: number): readonly number[] =>
  [...doubtful.slice((part - 1) * SHOWN, part * SHOWN), ...plain].slice(0, SHOWN);

function pathIn(
  shown: readonly { readonly name: string; readonly places: readonly number[] }[],
  path: readonly (string | number)[],
): (string | number)[] {
  const [top, nth, ...rest] = path;
  const place = shown.find(({ name }) => name === top)?.places[Number(nth)];
  return top === undefined || place === undefined ? [...path] : [top, place, ...rest];
}
