import { normalized, type SafeText, safeText } from '../../../runtime/safe-text.ts';
import type { RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import { matchedPart } from '../../domain/matched-part.ts';
import { type LinearPattern, linearPattern } from './regex.ts';

/** The part of a message's text that is matched by rules (matched-part.ts). */
export interface Seen {
  readonly exact: string | null;
  readonly folded: string | null;
  readonly isAll: boolean;
}

export type Test = (seen: Seen) => boolean;

export type FindPattern = (source: string, matchCase: boolean) => LinearPattern | null;

type Tried = Pick<RuleRow, 'id' | 'is_active' | 'priority' | 'created_at'>;

export const triedOf = <Rule extends Tried>(rules: readonly Rule[]): readonly Rule[] =>
  rules.filter(({ is_active }) => is_active === 1).toSorted(inOrder);

const inOrder = (one: Tried, other: Tried): number =>
  other.priority - one.priority || one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

export function seenOf(message: SafeText | null): Seen {
  if (message === null) return { exact: null, folded: null, isAll: true };
  const { text, isAll } = matchedPart(message);
  const exact = plain(text);
  return { exact, folded: exact.toLowerCase(), isAll };
}

const plain = (text: SafeText): string => normalized(text, 'NFC').trim();

const NEVER: Test = () => false;

type Trigger = Pick<RuleRow, 'trigger_type' | 'trigger_text' | 'match_case'>;

export function testOf({ trigger_type, trigger_text, match_case }: Trigger, findPattern: FindPattern = linearPattern): Test {
  if (trigger_type === 'any') return () => true;
  if (trigger_text === null) return NEVER;
  if (trigger_type === 'regex') return patternTest(trigger_text, match_case === 1, findPattern);
  const isCased = match_case === 1;
  const written = plain(safeText(trigger_text));
  const wanted = isCased ? written : written.toLowerCase();
  const textOf = isCased ? ({ exact }: Seen) => exact : ({ folded }: Seen) => folded;
  if (trigger_type === 'keyword') return (seen) => seen.isAll && textOf(seen) === wanted;
  return (seen) => textOf(seen)?.includes(wanted) ?? false;
}

/** Appended to a truncated text, so that a pattern for the end of a text does not match there. */
const GOES_ON = '…';

/** Compiles on use, because the patterns of all cached rules would exceed the memory limit. */
function patternTest(source: string, matchCase: boolean, findPattern: FindPattern): Test {
  let isNone = false;
  return ({ exact, isAll }) => {
    if (exact === null || isNone) return false;
    const pattern = findPattern(source, matchCase);
    isNone = pattern === null;
    return pattern?.isIn(isAll ? exact : `${exact.slice(0, -1)}${GOES_ON}`) ?? false;
  };
}
