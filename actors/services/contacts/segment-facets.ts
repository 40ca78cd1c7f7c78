import { type ContactFilter, type ContactRow, folded, label } from '../../../store/contacts/contacts.ts';
import type { NamedLabels } from '../../../store/contacts/labels.ts';
import { isLid } from '../../network/jid.ts';
import type { LabelIndex } from './labels.ts';
import { attributeKeyOf, momentOf, type Rule, type Rules, type RuleValue } from './segment-rules.ts';

/**
 * Compiles segment rules to a filter for the store, and a check of each contact that the filter
 * finds. The filter may find too many contacts, but never too few. Rules about consent are decided
 * only by the check, because contact rows do not contain consent.
 */

export type Consent = 'opted_in' | 'opted_out';

export interface Candidate {
  readonly row: ContactRow;
  readonly consent: Consent | null;
}

/** Part of a query. If `isExact`, the filter alone decides, and the check is not needed. */
export interface Part {
  readonly filter: ContactFilter;
  readonly isExact: boolean;
  readonly holds: (candidate: Candidate) => boolean;
}

export const EVERYBODY: ContactFilter = {};
export const NOBODY: ContactFilter = { _id: { $in: [] } };

export interface Facet {
  values(candidate: Candidate): readonly string[];
  readonly read: (text: string) => string;
  readonly among: (texts: readonly string[], not: boolean) => ContactFilter;
  readonly exists: (does: boolean) => ContactFilter;
  readonly startsWith?: (text: string) => ContactFilter;
  /** Set if contact rows do not contain these values, so that only the check can decide. */
  readonly isElsewhere?: true;
  readonly compared?: (text: string, rule: Rule) => boolean;
}

export function askedOfText(facet: Facet, rule: Rule): Part {
  const holds = testOf(facet, rule);
  if (facet.isElsewhere) return { filter: EVERYBODY, isExact: false, holds };
  const { op, value } = rule;
  const texts = textsOf(value).map(facet.read);
  switch (op) {
    case 'is':
    case 'in':
      return { filter: facet.among(texts, false), isExact: true, holds };
    case 'is_not':
      return { filter: facet.among(texts, true), isExact: true, holds };
    case 'exists':
      return { filter: facet.exists(value !== false), isExact: true, holds };
    case 'starts_with':
      if (facet.startsWith) return { filter: facet.startsWith(texts[0] ?? ''), isExact: true, holds };
      return { filter: facet.exists(true), isExact: false, holds };
    default:
      return { filter: facet.exists(true), isExact: false, holds };
  }
}

function testOf(facet: Facet, rule: Rule): Part['holds'] {
  const { op, value } = rule;
  const texts = new Set(textsOf(value).map(facet.read));
  const [text = ''] = texts;
  const some = (test: (own: string) => boolean): Part['holds'] => {
    return (candidate) => facet.values(candidate).some(test);
  };
  switch (op) {
    case 'is':
    case 'in':
      return some((own) => texts.has(own));
    case 'is_not':
      return (candidate) => !facet.values(candidate).includes(text);
    case 'contains':
      return some((own) => own.includes(text));
    case 'starts_with':
      return some((own) => own.startsWith(text));
    case 'exists':
      return (candidate) => facet.values(candidate).length > 0 === (value !== false);
    default:
      return some((own) => facet.compared?.(own, rule) ?? false);
  }
}

const textsOf = (value: RuleValue | undefined): readonly string[] => (Array.isArray(value) ? value : [String(value)]);

export function facetOf(field: string, labelIndex: LabelIndex, now: number): Facet {
  const key = attributeKeyOf(field);
  if (key !== null) return attributeFacet(labelIndex.attributes.byKey(folded(key))?._id, now);
  switch (field) {
    case 'name':
      return columnFacet('name_key', ({ row }) => (row.name === null ? [] : [folded(row.name)]), folded);
    case 'phone':
      return phoneFacet;
    case 'username':
      return usernameFacet;
    case 'country':
      return countryFacet;
    case 'tag':
      return tagFacet(labelIndex);
    case 'group_id':
      return groupFacet(labelIndex);
    default:
      return consentFacet;
  }
}

/** Returns the labels that rules name. A long job keeps them, because they may be removed meanwhile. */
export function labelsNamed({ all, any }: Rules, { groups, tags, attributes }: LabelIndex): NamedLabels {
  const rules = all ?? any ?? [];
  const namedBy = <T>(name: string, every: readonly T[], find: (text: string) => T | undefined): readonly T[] => {
    const asking = rules.filter(({ field }) => field === name);
    const rows = asking.flatMap(({ op, value }) => (op === 'exists' ? every : textsOf(value).flatMap((text) => find(text) ?? [])));
    return [...new Set(rows)];
  };
  const keys = new Set(rules.flatMap(({ field }) => attributeKeyOf(field) ?? []).map(folded));
  return {
    groups: namedBy('group_id', groups.all(), (id) => groups.byId(id)),
    tags: namedBy('tag', tags.all(), (name) => tags.everCalled(folded(name))),
    attributes: [...keys].flatMap((key) => attributes.byKey(key) ?? []),
  };
}

const digitsOf = (text: string): string => (isLid(text) ? text : text.replace(/\D/g, ''));
const asIs = (text: string): string => text;
/** A text with this suffix sorts after all texts with the same prefix: stores sort by code point. */
const LAST = '\u{10FFFF}';

function columnFacet(column: 'name_key' | 'phone', values: Facet['values'], read: Facet['read']): Facet {
  return {
    values,
    read,
    among: (texts, not) => ({ [column]: not ? { $nin: texts } : { $in: texts } }),
    exists: (does) => ({ [column]: does ? { $ne: null } : null }),
    startsWith: (text) => ({ [column]: { $gte: text, $lt: `${text}${LAST}` } }),
  };
}

const labelled = (texts: readonly string[], not: boolean): ContactFilter => {
  if (texts.length === 0) return not ? EVERYBODY : NOBODY;
  return { labels: not ? { $nin: texts } : { $in: texts } };
};

const numbers = columnFacet('phone', ({ row }) => (isLid(row.phone) ? [] : [row.phone]), digitsOf);
const HAS_NUMBER: ContactFilter = { labels: { $nin: [label.hidden] } };

const phoneFacet: Facet = {
  ...numbers,
  exists: (does) => (does ? HAS_NUMBER : { labels: { $in: [label.hidden] } }),
  startsWith: (text) => ({ ...numbers.startsWith?.(text), ...HAS_NUMBER }),
};

/** For contact lists only. Segment rules cannot use this facet. */
const usernameFacet: Facet = {
  values: ({ row }) => (row.username ? [folded(row.username)] : []),
  read: (text) => folded(text).replace(/^@/, ''),
  among: (names, not) => labelled(names.map(label.username), not),
  exists: () => EVERYBODY,
};

const countryFacet: Facet = {
  values: ({ row }) => (row.country === null ? [] : [row.country]),
  read: (text) => text.trim().toUpperCase(),
  among: (texts, not) => labelled(texts.map(label.country), not),
  exists: (does) => labelled([label.someCountry], !does),
};

function tagFacet({ tags }: LabelIndex): Facet {
  const labelsOf = (keys: readonly string[]): string[] => keys.flatMap((key) => tags.byKey(key)?._id ?? []).map(label.tag);
  return {
    values: ({ row }) => row.tag_ids.flatMap((id) => tags.byId(id)?.key ?? []),
    read: (name) => tags.everCalled(folded(name))?.key ?? folded(name),
    among: (keys, not) => labelled(labelsOf(keys), not),
    exists: (does) =>
      labelled(
        tags.all().map(({ _id }) => label.tag(_id)),
        !does,
      ),
  };
}

function groupFacet({ groups }: LabelIndex): Facet {
  const known = (ids: readonly string[]): readonly string[] => ids.filter((id) => groups.byId(id));
  const among = (ids: readonly string[], not: boolean): ContactFilter => ({ group_id: not ? { $nin: known(ids) } : { $in: known(ids) } });
  return {
    values: ({ row }) => (row.group_id === null ? [] : known([row.group_id])),
    read: asIs,
    among,
    exists: (does) =>
      among(
        groups.all().map(({ _id }) => _id),
        !does,
      ),
  };
}

const consentFacet: Facet = {
  values: ({ consent }) => (consent === null ? [] : [consent]),
  read: folded,
  among: () => EVERYBODY,
  exists: () => EVERYBODY,
  isElsewhere: true,
};

function attributeFacet(id: string | undefined, now: number): Facet {
  return {
    values: ({ row }) => (id !== undefined && row.attrs[id] !== undefined ? [folded(row.attrs[id])] : []),
    read: folded,
    among: (texts, not) => labelled(id === undefined ? [] : texts.map((text) => label.value(id, text)), not),
    exists: (does) => labelled(id === undefined ? [] : [label.attribute(id)], !does),
    compared: (own, rule) => isBeyond(own, rule, now),
  };
}

const DAY_MS = 86_400_000;

/** Compares numbers or dates. A text that is neither never matches. */
function isBeyond(own: string, { op, value }: Rule, now: number): boolean {
  const written = own.toUpperCase();
  if (op === 'within_days') return isWithin(momentOf(written), now - Number(value) * DAY_MS, now);
  const [mine, theirs] =
    typeof value === 'string' && momentOf(value) !== null ? [momentOf(written), momentOf(value)] : [numberOf(own), numberOf(value)];
  if (mine === null || theirs === null) return false;
  return op === 'gt' ? mine > theirs : mine < theirs;
}

const isWithin = (at: number | null, from: number, to: number): boolean => at !== null && at >= from && at <= to;

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
