import { normalized, safeText } from '../../../../runtime/safe-text.ts';
import { Unreadable } from '../../archives/unreadable.ts';
import { sentencesOf } from '../retrieval/sentences.ts';
import { type Block, MAX_CHARACTERS, MAX_PASSAGES, type Passage, REASONS } from './reading.ts';

const ENOUGH_WORDS = 80;
const MAX_WORDS = 180;
export const MAX_PASSAGE = 2_000;
export const MAX_HEADING = 200;
/** Longest sentence, in words, that is repeated at the start of the next passage. */
const OVERLAP_WORDS = 40;

export function passagesOf(blocks: readonly Block[]): readonly Passage[] {
  const clean = blocks
    .map(({ heading, text, ...rest }) => ({ ...rest, heading: tidy(heading).slice(0, MAX_HEADING), text: tidy(text) }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (clean.length === 0) throw new Unreadable(REASONS.noText);
  if (clean.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARACTERS) throw new Unreadable(REASONS.tooLong);
  const passages: Passage[] = [];
  for (const block of clean.flatMap(cut)) {
    const last = passages.at(-1);
    if (last && mayJoin(last, block)) passages[passages.length - 1] = { heading: last.heading, text: `${last.text}\n${block.text}` };
    else passages.push(block);
  }
  if (passages.length > MAX_PASSAGES) throw new Unreadable(REASONS.tooLong);
  return passages;
}

function mayJoin(last: Passage, next: Block): boolean {
  if (last.isAnswer || next.isAnswer || last.heading !== next.heading || last.text.length + next.text.length >= MAX_PASSAGE) return false;
  const words = wordsIn(last.text);
  return words < ENOUGH_WORDS && words + wordsIn(next.text) <= MAX_WORDS;
}

const wordsIn = (text: string): number => text.split(/\s+/).length;
const fits = (text: string): boolean => text.length <= MAX_PASSAGE && wordsIn(text) <= MAX_WORDS;

function cut(block: Block): readonly Block[] {
  const { heading, text } = block;
  if (fits(text)) return [block];
  const pieces: Block[] = [];
  let piece = '';
  let last = '';
  for (const sentence of sentencesOf(text).flatMap(shortened)) {
    const longer = piece === '' ? sentence : `${piece} ${sentence}`;
    if (fits(longer)) piece = longer;
    else {
      pieces.push({ heading, text: piece });
      const overlapped = `${last} ${sentence}`;
      piece = wordsIn(last) <= OVERLAP_WORDS && fits(overlapped) ? overlapped : sentence;
    }
    last = sentence;
  }
  if (piece !== '') pieces.push({ heading, text: piece });
  return pieces;
}

function shortened(sentence: string): readonly string[] {
  if (fits(sentence)) return [sentence];
  const parts: string[] = [];
  let part: string[] = [];
  for (const word of sentence.match(/\S{1,200}/g) ?? []) {
    part.push(word);
    if (part.length < MAX_WORDS / 2 && part.join(' ').length < MAX_PASSAGE / 2) continue;
    parts.push(part.join(' '));
    part = [];
  }
  return part.length > 0 ? [...parts, part.join(' ')] : parts;
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;

const tidy = (text: string): string =>
  normalized(safeText(text), 'NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\n\u2028\u2029]+/g, '\n')
    .replace(/\t/g, ' ')
    .replace(INVISIBLE, (character) => (character === '\n' ? character : ''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
