import { createRequire } from 'node:module';
import type { Diagnostics } from 'recheck';
import { linearPattern } from './regex.ts';

/** The build that needs no other process. */
const { checkSync }: typeof import('recheck') = createRequire(import.meta.url)('recheck/lib/browser.js');

export interface PatternQuestion {
  readonly source: string;
  readonly matchCase: boolean;
  /** Undecided by then is unsafe. */
  readonly timeoutMs: number;
}

/** `invalid`: not a regular expression. `unsupported`: not possible in linear time. `unsafe`: could backtrack catastrophically, or this cannot be decided. */
export type PatternVerdict = 'safe' | 'unsafe' | 'unsupported' | 'invalid';

// Compiles the checker before the time of the first question begins: on a busy machine that alone took seconds.
checkSync('a', '', {});

/** Judges a pattern, on a thread of its own. */
export default function judge({ source, matchCase, timeoutMs }: PatternQuestion): PatternVerdict {
  const flags = matchCase ? '' : 'i';
  try {
    new RegExp(source, flags);
  } catch {
    return 'invalid';
  }
  if (linearPattern(source, matchCase) === null) return 'unsupported';
  return isHarmless(checkSync(source, flags, { timeout: timeoutMs })) ? 'safe' : 'unsafe';
}

/**
 * Quadratic at worst, and that proven: everyday patterns (`order.*late`) are. Here it is matched in linear time anyway (regex.ts).
 */
function isHarmless(found: Diagnostics): boolean {
  if (found.status !== 'vulnerable') return found.status === 'safe';
  const { complexity } = found;
  return complexity.type === 'polynomial' && complexity.degree <= 2 && !complexity.isFuzz;
}
