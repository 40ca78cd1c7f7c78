import { type SafeText, safeText } from '../../runtime/safe-text.ts';
import { cut } from './cut.ts';

/**
 * The text that words, rules and questions are matched against. Texts of up to 400 characters are
 * matched whole. In longer texts, runs (of decoration, or of one repeated letter or digit) are cut
 * to 32 characters, and the first 400 characters of the result are matched. So "STOP" before five
 * hundred exclamation marks counts as a whole text; "STOP" before a long sentence does not.
 */
export interface MatchedPart {
  readonly text: SafeText;
  /** Whether `text` is the whole text, apart from shortened runs. */
  readonly isAll: boolean;
}

export const MATCHED_CHARACTERS = 400;
const LONGEST_RUN = 32;
const RUNS = /[[^\p{L}\p{N}]\p{DI}]+|(\p{L}|\p{N})\1*/gv;

export function matchedPart(text: SafeText): MatchedPart {
  if (text.length <= MATCHED_CHARACTERS) return { text, isAll: true };
  let part = '';
  for (const [run] of text.matchAll(RUNS)) {
    part += cut(run, LONGEST_RUN);
    if (part.length > MATCHED_CHARACTERS) return { text: safeText(cut(part, MATCHED_CHARACTERS)), isAll: false };
  }
  return { text: safeText(part), isAll: true };
}
