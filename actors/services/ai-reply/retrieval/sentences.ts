import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { termsOf } from './terms.ts';

const MAX_QUOTED = 3;
const MAX_CHARACTERS = 500;
/** A sentence beside the best one is quoted when it says so much of the question. */
const ALSO = 0.6;

/** The sentences and lines of a passage. An abbreviation (`Jl.`, `No.`, `Rp.`) or a number ends none. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  for (const part of text.split(/\n+|(?<=[.!?])\s+(?=[\p{Lu}\p{N}"“(])/u)) {
    const last = sentences.at(-1);
    if (last !== undefined && ABBREVIATION.test(last)) sentences[sentences.length - 1] = `${last} ${part}`;
    else sentences.push(part);
  }
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

const ABBREVIATION = /(^|\s)(Jl|Jln|No|Rp|Dr|Ir|Hj|H|Mr|Mrs|Ms|St|Tel|Telp|Gg|Blok|Kec|Kel|Kab|dll|dst|hlm|e\.g|i\.e|approx)\.$/i;

/** One to three sentences of a passage, in its order, that say most of what the question asks; at most 500 characters. */
export function quoteOf(text: string, question: SafeText, weightOf: (stem: string) => number): string {
  const asked = new Set(termsOf(question).stems);
  const sentences = sentencesOf(text);
  const scored = sentences.map((sentence, at) => ({ sentence, at, score: coverOf(sentence, asked, weightOf) }));
  const best = scored.reduce((top, one) => (one.score > top.score ? one : top), scored[0] ?? { sentence: text, at: 0, score: 0 });
  // What stands right behind the best sentence often ends what it began.
  const chosen = scored.filter(
    ({ at, score }) => at === best.at || (score >= best.score * ALSO && score > 0 && Math.abs(at - best.at) < MAX_QUOTED),
  );
  const kept = chosen.toSorted((one, other) => other.score - one.score).slice(0, MAX_QUOTED);
  let quote = best.sentence;
  for (let count = kept.length; count > 1; count -= 1) {
    const joined = kept
      .slice(0, count)
      .toSorted((one, other) => one.at - other.at)
      .map(({ sentence }) => sentence)
      .join(' ');
    if (joined.length > MAX_CHARACTERS) continue;
    quote = joined;
    break;
  }
  return quote.length > MAX_CHARACTERS ? `${quote.slice(0, MAX_CHARACTERS - 1)}…` : quote;
}

function coverOf(sentence: string, asked: ReadonlySet<string>, weightOf: (stem: string) => number): number {
  let score = 0;
  for (const stem of new Set(termsOf(safeText(sentence)).stems)) if (asked.has(stem)) score += weightOf(stem);
  return score;
}
