import { createRequire } from 'node:module';
import type { Diagnostics } from 'recheck';
import { linearPattern } from './regex.ts';

/** The build that needs no other process. */
const { checkSync }: typeof import('recheck') = createRequire(import.meta.url)('recheck/lib/browser.js');

export interface PatternQuestion {
  readonly source: string;
  readonly matchCase: boolean;
}

/** `invalid`: not a regular expression. `unsupported`: not possible in linear time. `unsafe`: could backtrack catastrophically, or this cannot be decided. */
export type PatternVerdict = 'safe' | 'unsafe' | 'unsupported' | 'invalid';

// Compiles the checker before the time of the first question begins: on a busy machine that alone took seconds.
checkSync('a', '', {});

/** Judges a pattern, on a thread of its own. */
export default function judge({ source, matchCase }: PatternQuestion): PatternVerdict {
  const flags = matchCase ? '' : 'i';
  try {
    new RegExp(source, flags);
  } catch {
    return 'invalid';
  }
  if (linearPattern(source, matchCase) === null) return 'unsupported';
  return isHarmless(inSteps(() => checkSync(source, flags, { checker: 'automaton', timeout: MAX_STEPS }))) ? 'safe' : 'unsafe';
}

/** Steps after which an undecided pattern is unsafe: a few seconds. A pattern for e-mail addresses takes 33,000. */
const MAX_STEPS = 40_000;

/**
 * The checker can only be bounded by time, which judges the same pattern differently on a slow machine and on a fast one. While it runs, its clock
 * therefore counts how often it is asked, which depends on the pattern alone. Nothing else runs on this thread meanwhile.
 */
function inSteps<T>(check: () => T): T {
  const { now } = performance;
  let steps = 0;
  performance.now = () => steps++;
  try {
    return check();
  } finally {
    performance.now = now;
  }
}

/**
 * Quadratic at worst, and that proven: everyday patterns (`order.*late`) are. Here it is matched in linear time anyway (regex.ts).
 */
function isHarmless(found: Diagnostics): boolean {
  if (found.status !== 'vulnerable') return found.status === 'safe';
  const { complexity } = found;
  return complexity.type === 'polynomial' && complexity.degree <= 2 && !complexity.isFuzz;
}
