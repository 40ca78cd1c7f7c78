import { createRequire } from 'node:module';
import type { Diagnostics } from 'recheck';
import { linearPattern } from './regex.ts';

/** The checker's build for browsers is used, because it does not start another process. */
const { checkSync }: typeof import('recheck') = createRequire(import.meta.url)('recheck/lib/browser.js');

export interface PatternQuestion {
  readonly source: string;
  readonly matchCase: boolean;
}

/** `unsupported`: no match in linear time. `unsafe`: may backtrack badly, or the check was unclear. */
export type PatternVerdict = 'safe' | 'unsafe' | 'unsupported' | 'invalid';

// Compile the checker now. Otherwise, the first check takes seconds on a busy machine.
checkSync('a', '', {});

export default function judge({ source, matchCase }: PatternQuestion): PatternVerdict {
  const flags = matchCase ? '' : 'i';
  try {
    new RegExp(source, flags);
  } catch {
    return 'invalid';
  }
  if (linearPattern(source, matchCase) === null) return 'unsupported';
  if (isSimple(source)) return 'safe';
  return isHarmless(inSteps(() => checkSync(source, flags, { checker: 'automaton', timeout: MAX_STEPS }))) ? 'safe' : 'unsafe';
}

const MOST_CHOICES = 12;

/**
 * Returns true if the pattern repeats one character at most once, and no group. Its matching time is
 * at most quadratic, but the checker gives up on some of these patterns, for example
 * `(sell|buy|rent)\s+(house|car|motorbike|land|flat)\b`.
 */
function isSimple(source: string): boolean {
  const plain = source
    .replace(/\\./gs, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(?::|<\w+>)/g, '(');
  const repeats = plain.match(/[*+{]/g)?.length ?? 0;
  const choices = plain.match(/[|?]/g)?.length ?? 0;
  return repeats <= 1 && !/\)[*+{]/.test(plain) && choices <= MOST_CHOICES;
}

const MAX_STEPS = 40_000;

/** Replaces the checker's clock with a call counter, so that its limit depends only on the pattern. */
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

/** Accepts quadratic patterns such as `order.*late`, because regex.ts matches them in linear time. */
function isHarmless(found: Diagnostics): boolean {
  if (found.status !== 'vulnerable') return found.status === 'safe';
  const { complexity } = found;
  return complexity.type === 'polynomial' && complexity.degree <= 2 && !complexity.isFuzz;
}
