import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../runtime/clock.ts';
import type { RuleRow, RuleSet } from '../../../store/auto-reply/auto-replies.ts';
import { linearPattern } from './regex.ts';

/** Of a message's text, so many characters are looked at by regular expressions. */
const REGEX_LOOKS_AT = 4_096;
/** Matching lets others have their turn after so long. */
const SLICE_MS = 2;

/** A message as rules see it; null: it has no text. */
export interface Seen {
  readonly exact: string | null;
  readonly folded: string | null;
}

type Test = (seen: Seen) => boolean;

/** The rules of one version of a device's set, in the order in which they are tried. */
export interface ReadyRules {
  readonly rev: number;
  /** The first rule that fits; null: none does. The event loop is never held for long, however many rules and however long a text. */
  match(text: string | null): Promise<RuleRow | null>;
}

export function readyRules({ rev, rules }: RuleSet, clock: Pick<Clock, 'monotonic'>): ReadyRules {
  const tried = rules.filter(({ is_active }) => is_active === 1).toSorted(inOrder);
  const tests = new Map<string, Test>();
  const testOf = (rule: RuleRow): Test => {
    const test = tests.get(rule.id) ?? compiled(rule);
    tests.set(rule.id, test);
    return test;
  };

  return {
    rev,
    async match(text) {
      const exact = text === null ? null : plain(text);
      const seen = { exact, folded: exact?.toLowerCase() ?? null };
      let since = clock.monotonic();
      for (const rule of tried) {
        if (testOf(rule)(seen)) return rule;
        if (clock.monotonic() - since < SLICE_MS) continue;
        await turn();
        since = clock.monotonic();
      }
      return null;
    },
  };
}

/** Highest priority first; of equals the older one. */
function inOrder(one: RuleRow, other: RuleRow): number {
  return other.priority - one.priority || one.created_at - other.created_at || (one.id < other.id ? -1 : 1);
}

const plain = (text: string): string => text.normalize('NFC').trim();

const NEVER: Test = () => false;

function compiled({ trigger_type, trigger_text, match_case }: RuleRow): Test {
  if (trigger_type === 'any') return () => true;
  if (trigger_text === null) return NEVER;
  if (trigger_type === 'regex') return patternTest(trigger_text, match_case === 1);
  const isCased = match_case === 1;
  const wanted = isCased ? plain(trigger_text) : plain(trigger_text).toLowerCase();
  const textOf = isCased ? ({ exact }: Seen) => exact : ({ folded }: Seen) => folded;
  if (trigger_type === 'keyword') return (seen) => textOf(seen) === wanted;
  return (seen) => textOf(seen)?.includes(wanted) ?? false;
}

function patternTest(source: string, matchCase: boolean): Test {
  const pattern = linearPattern(source, matchCase);
  if (pattern === null) return NEVER;
  return ({ exact }) => exact !== null && pattern.isIn(exact.slice(0, REGEX_LOOKS_AT));
}
