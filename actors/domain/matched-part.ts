import { type SafeText, safeText } from '../../runtime/safe-text.ts';
import { cut } from './cut.ts';

/**
 * What words, rules and questions are matched against: a text of up to 400 characters itself; of a longer one the first 400 characters,
 * after runs that say nothing were shortened. Such a run is of decoration (whatever is neither letter nor digit: spaces, punctuation, emoji,
 * combining marks) or of one letter or digit; 32 characters of it stay. So "STOP" before five hundred exclamation marks is all of its text,
 * and "STOP" before a long sentence is not.
 */
export interface MatchedPart {
  readonly text: SafeText;
  /** Whether it is the whole text, but for shortened runs. */
  readonly isAll: boolean;
}

export const MATCHED_CHARACTERS = 400;
const LONGEST_RUN = 32;
const RUNS = /[[^\p{L}\p{N}]\p{DI}]+|(\p{L}|\p{N})\1*/gv;

/** Linear in the text. */
export function matchedPart(text: SafeText): MatchedPart {
  if (text.length <= MATCHED_CHARACTERS) return { text, isAll: true };
  let part = '';
  for (const [run] of text.matchAll(RUNS)) {
    part += cut(run, LONGEST_RUN);
    if (part.length > MATCHED_CHARACTERS) return { text: safeText(cut(part, MATCHED_CHARACTERS)), isAll: false };
  }
  return { text: safeText(part), isAll: true };
}
