import type { ContactFilter } from '../../../store/contacts/contacts.ts';
import type { LabelIndex } from './labels.ts';
import { askedOfText, type Candidate, facetOf, type Part } from './segment-facets.ts';
import { isTimeField, type Rules } from './segment-rules.ts';
import { timePart } from './segment-times.ts';

export interface SegmentQuery {
  /** The store's filter. Finds all matching contacts, but may also find some that do not match. */
  readonly filter: ContactFilter;
  readonly holds: ((candidate: Candidate) => boolean) | null;
  readonly needsConsent: boolean;
}

/** Compiles rules. An unknown tag matches no contact. */
export function compileSegment({ all, any }: Rules, labelIndex: LabelIndex, now: number): SegmentQuery {
  const rules = all ?? any ?? [];
  const parts = rules.map((rule): Part => {
    if (isTimeField(rule.field)) return timePart(rule, now);
    return askedOfText(facetOf(rule.field, labelIndex, now), rule);
  });
  const filters = parts.map(({ filter }) => filter);
  const needsConsent = rules.some(({ field }) => field === 'consent');
  if (all) return { filter: { $and: filters }, holds: everyOne(parts.filter(({ isExact }) => !isExact)), needsConsent };
  return { filter: { $or: filters }, holds: parts.every(({ isExact }) => isExact) ? null : someOne(parts), needsConsent };
}

const everyOne = (parts: readonly Part[]): SegmentQuery['holds'] =>
  parts.length === 0 ? null : (candidate) => parts.every(({ holds }) => holds(candidate));

const someOne =
  (parts: readonly Part[]): SegmentQuery['holds'] =>
  (candidate) =>
    parts.some(({ holds }) => holds(candidate));
