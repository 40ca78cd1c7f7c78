import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { termsOf } from './terms.ts';

const MAX_QUOTED = 3;
const MAX_CHARACTERS = 500;
/** A sentence beside the best one is quoted when it says so much of the question. */
const ALSO = 0.6;

/** The sentences and lines of a passage. An abbreviation (`Jl.`, `No.`, `Rp.`) or a number ends none. */
export const sentencesOf = (text: string): readonly string[] => linesOf(text).flat();

/** The sentences of each line. */
function linesOf(text: string): readonly (readonly string[])[] {
  return text.split(/\n+/).map((line) => {
    const sentences: string[] = [];
    for (const part of line.split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}"“(])/u)) {
      const last = sentences.at(-1);
      if (last !== undefined && ABBREVIATION.test(last)) sentences[sentences.length - 1] = `${last} ${part}`;
      else sentences.push(part);
    }
    return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
  });
}

const ABBREVIATION = /(^|\s)(Jl|Jln|No|Rp|Dr|Ir|Hj|H|Mr|Mrs|Ms|St|Tel|Telp|Gg|Blok|Kec|Kel|Kab|dll|dst|hlm|e\.g|i\.e|approx)\.$/i;

/** One to three sentences of a passage, in its order, that say most of what the question asks; at most 500 characters. Lines stay lines. */
export function quoteOf(text: string, question: SafeText, weightOf: (stem: string) => number): string {
  const asked = new Set(termsOf(question).stems);
  const scored = linesOf(text)
    .flatMap((sentences, line) => sentences.map((sentence) => ({ sentence, line })))
    .map(({ sentence, line }, at) => ({ sentence, line, at, score: coverOf(sentence, asked, weightOf) }));
  const best = scored.reduce((top, one) => (one.score > top.score ? one : top), scored[0] ?? { sentence: text, line: 0, at: 0, score: 0 });
  // What stands right behind the best sentence often ends what it began; another row of a table is the price of something else.
  const isOther = (sentence: string): boolean => ROW.test(best.sentence) && ROW.test(sentence);
  const chosen = scored.filter(
    ({ at, score, sentence }) =>
      at === best.at || (score >= best.score * (isOther(sentence) ? 1 : ALSO) && score > 0 && Math.abs(at - best.at) < MAX_QUOTED),
  );
  const kept = chosen.toSorted((one, other) => other.score - one.score).slice(0, MAX_QUOTED);
  let quote = best.sentence;
  for (let count = kept.length; count > 1; count -= 1) {
    const joined = kept
      .slice(0, count)
      .toSorted((one, other) => one.at - other.at)
      .reduce((joined, { sentence, line }, nth, all) => {
        if (nth === 0) return sentence;
        return `${joined}${line === all[nth - 1]?.line ? ' ' : '\n'}${sentence}`;
      }, '');
    if (joined.length > MAX_CHARACTERS) continue;
    quote = joined;
    break;
  }
  return quote.length > MAX_CHARACTERS ? `${quote.slice(0, MAX_CHARACTERS - 1)}…` : quote;
}

/** A row of a table: names of columns and their values. */
const ROW = /^[^:;]{1,80}: [^;]*; [^:;]{1,80}: /;

function coverOf(sentence: string, asked: ReadonlySet<string>, weightOf: (stem: string) => number): number {
  let score = 0;
  for (const stem of new Set(termsOf(safeText(sentence)).stems)) if (asked.has(stem)) score += weightOf(stem);
  return score;
}
