import type { RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import { type LinearPattern, linearPattern } from './regex.ts';

/** Of a message's text, so many characters are looked at by regular expressions. */
const REGEX_LOOKS_AT = 4_096;

/** A message as rules see it; null: it has no text. */
export interface Seen {
  readonly exact: string | null;
  readonly folded: string | null;
}

/** Does a rule fit this message? */
export type Test = (seen: Seen) => boolean;

/** Null: there is no such pattern. */
export type FindPattern = (source: string, matchCase: boolean) => LinearPattern | null;

type Tried = Pick<RuleRow, 'id' | 'is_active' | 'priority' | 'created_at'>;

/** Those that are on, in the order in which they are tried: highest priority first; of equals the older one. */
export const triedOf = <Rule extends Tried>(rules: readonly Rule[]): readonly Rule[] =>
  rules.filter(({ is_active }) => is_active === 1).toSorted(inOrder);

const inOrder = (one: Tried, other: Tried): number =>
  other.priority - one.priority || one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

export function seenOf(text: string | null): Seen {
  const exact = text === null ? null : plain(text);
  return { exact, folded: exact?.toLowerCase() ?? null };
}

const plain = (text: string): string => text.normalize('NFC').trim();

const NEVER: Test = () => false;

type Trigger = Pick<RuleRow, 'trigger_type' | 'trigger_text' | 'match_case'>;

/** What a rule looks for, ready to be asked often. Without `findPattern`, a pattern is compiled each time. */
export function testOf({ trigger_type, trigger_text, match_case }: Trigger, findPattern: FindPattern = linearPattern): Test {
  if (trigger_type === 'any') return () => true;
  if (trigger_text === null) return NEVER;
  if (trigger_type === 'regex') return patternTest(trigger_text, match_case === 1, findPattern);
  const isCased = match_case === 1;
  const wanted = isCased ? plain(trigger_text) : plain(trigger_text).toLowerCase();
  const textOf = isCased ? ({ exact }: Seen) => exact : ({ folded }: Seen) => folded;
  if (trigger_type === 'keyword') return (seen) => textOf(seen) === wanted;
  return (seen) => textOf(seen)?.includes(wanted) ?? false;
}

/** The compiled pattern is not held: rules are kept for longer than there is memory for all of their patterns. */
function patternTest(source: string, matchCase: boolean, findPattern: FindPattern): Test {
  let isNone = false;
  return ({ exact }) => {
    if (exact === null || isNone) return false;
    const pattern = findPattern(source, matchCase);
    isNone = pattern === null;
    return pattern?.isIn(exact.slice(0, REGEX_LOOKS_AT)) ?? false;
  };
}
