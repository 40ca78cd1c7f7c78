import type { Clock } from '../../../runtime/clock.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { SafeText } from '../../../runtime/safe-text.ts';
import type { RuleRow, RuleSet } from '../../../store/auto-reply/auto-replies.ts';
import { knownPatterns } from './known-patterns.ts';
import { type FindPattern, seenOf, type Test, testOf, triedOf } from './rule-tests.ts';

const SLICE_MS = 2;

export interface ReadyRules {
  readonly rev: number;
  /** Yields regularly, so that matching never blocks the event loop for long. */
  match(text: SafeText | null): Promise<RuleRow | null>;
}

export function readyRules({ rev, rules, tenant_id }: RuleSet, clock: Pick<Clock, 'monotonic'>): ReadyRules {
  const tried = triedOf(rules);
  const tests = new Map<string, Test>();
  const findPattern: FindPattern = (source, matchCase) => knownPatterns.find(tenant_id, source, matchCase, clock.monotonic());
  const keptTestOf = (rule: RuleRow): Test => {
    const test = tests.get(rule.id) ?? testOf(rule, findPattern);
    tests.set(rule.id, test);
    return test;
  };

  return {
    rev,
    async match(text) {
      const seen = seenOf(text);
      let since = clock.monotonic();
      for (const rule of tried) {
        if (keptTestOf(rule)(seen)) return rule;
        if (clock.monotonic() - since < SLICE_MS) continue;
        await fairSlices.turn(tenant_id);
        since = clock.monotonic();
      }
      return null;
    },
  };
}
