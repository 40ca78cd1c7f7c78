import { createRequire } from 'node:module';
import { linearPattern } from './regex.ts';

/** The build that needs no other process. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

export interface PatternQuestion {
  readonly source: string;
  readonly matchCase: boolean;
  /** Undecided by then is unsafe. */
  readonly timeoutMs: number;
}

/** `invalid`: no regular expression. `unsupported`: not possible in linear time. `unsafe`: could backtrack catastrophically, or nobody can tell. */
export type PatternVerdict = 'safe' | 'unsafe' | 'unsupported' | 'invalid';

/** Judges a pattern, on a thread of its own. */
export default function judge({ source, matchCase, timeoutMs }: PatternQuestion): PatternVerdict {
  const flags = matchCase ? '' : 'i';
  try {
    new RegExp(source, flags);
  } catch {
    return 'invalid';
  }
  if (linearPattern(source, matchCase) === null) return 'unsupported';
  return checkSync(source, flags, { timeout: timeoutMs }).status === 'safe' ? 'safe' : 'unsafe';
}
