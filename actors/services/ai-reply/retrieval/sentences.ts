import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { termsOf } from './terms.ts';

const MAX_QUOTED = 3;
const MAX_CHARACTERS = 500;
const ALSO = 0.6;

/** Splits a text. An abbreviation (`Jl.`, `No.`, `Rp.`) or a number does not end a sentence. */
export const sentencesOf = (text: string): readonly string[] => linesOf(text).flat();

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

export function quoteOf(text: string, question: SafeText, weightOf: (stem: string) => number): string {
  const asked = new Set(termsOf(question).stems);
  const scored = linesOf(text)
    .flatMap((sentences, line) => sentences.map((sentence) => ({ sentence, line })))
    .map(({ sentence, line }, at) => ({ sentence, line, at, score: coverOf(sentence, asked, weightOf) }));
  const best = scored.reduce((top, one) => (one.score > top.score ? one : top), scored[0] ?? { sentence: text, line: 0, at: 0, score: 0 });
  // The sentence after the best one often completes it, unless it is another row of the same table.
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

const ROW = /^[^:;]{1,80}: [^;]*; [^:;]{1,80}: /;

function coverOf(sentence: string, asked: ReadonlySet<string>, weightOf: (stem: string) => number): number {
  let score = 0;
  for (const stem of new Set(termsOf(safeText(sentence)).stems)) if (asked.has(stem)) score += weightOf(stem);
  return score;
}
