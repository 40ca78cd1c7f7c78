import { type SafeText, safeText } from '../../runtime/safe-text.ts';
import { cut } from './cut.ts';

/**
 * The part of a text that rules match. In a text of over 400 characters, each run of symbols or of
 * one repeated character counts as at most 32 characters, so "STOP" before 500 exclamation marks is
 * matched as a whole.
 */
export interface MatchedPart {
  readonly text: SafeText;
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
