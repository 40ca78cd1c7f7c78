export interface SpelledNumber {
  readonly value: number;
  readonly index: number;
  readonly end: number;
}

const UNITS = new Map(
  [
    'nol zero',
    'satu one',
    'dua two',
    'tiga three',
    'empat four',
    'lima five',
    'enam six',
    'tujuh seven',
    'delapan eight',
    'sembilan nine',
    'sepuluh ten',
    'sebelas eleven',
    'twelve',
    'thirteen',
    'fourteen',
    'fifteen',
    'sixteen',
    'seventeen',
    'eighteen',
    'nineteen',
  ].flatMap((names, value) => names.split(' ').map((name) => [name, value] as const)),
);
const TENS = new Map(
  ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].map((name, at) => [name, (at + 2) * 10] as const),
);
/** Number words that multiply. The Indonesian prefix `se` means one (`seribu`: one thousand). */
const SCALES: Readonly<Record<string, number>> = {
  puluh: 10,
  ratus: 100,
  hundred: 100,
  seratus: 100,
  ribu: 1e3,
  thousand: 1e3,
  seribu: 1e3,
  juta: 1e6,
  million: 1e6,
  sejuta: 1e6,
};
const ONE_OF: ReadonlySet<string> = new Set(['seratus', 'seribu', 'sejuta']);
/** After these words, a number word is a pronoun, as in `this one`. */
const PRONOUN_BEFORE = /\b(?:no|salah|which|this|that|the|any|every|some|another|each|only)\s+$/i;
const LONGEST_PRONOUN = 16;
const PRONOUN_BEHIND = /^\s+of\b/i;

interface Word {
  readonly word: string;
  readonly index: number;
  readonly end: number;
}

export function spelledNumbers(text: string): readonly SpelledNumber[] {
  const found: SpelledNumber[] = [];
  let run: Word[] = [];
  const flush = (): void => {
    const [first] = run;
    const last = run.at(-1);
    if (first && last && !isPronoun(text, run)) found.push({ value: amountOf(run), index: first.index, end: last.end });
    run = [];
  };
  for (const { 0: word, index } of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    const last = run.at(-1);
    if (last && !goesOn(last.word, text.slice(last.end, index).toLowerCase(), word)) flush();
    if (isNumber(word, run)) run.push({ word, index, end: index + word.length });
    else if (word !== 'and') flush();
  }
  flush();
  return found;
}

/** `twenty five` and `two hundred and five` are one number each, but `two, three` are two numbers. */
function goesOn(last: string, between: string, word: string): boolean {
  if (UNITS.has(word) && UNITS.has(last)) return false;
  if (TENS.has(word) && !(last in SCALES)) return false;
  return /^[\s-]+$/.test(between) || (last in SCALES && /^\s+and\s+$/.test(between));
}

function isNumber(word: string, run: readonly Word[]): boolean {
  if (UNITS.has(word) || TENS.has(word) || ONE_OF.has(word)) return true;
  return run.length > 0 && (word === 'belas' || word in SCALES);
}

function isPronoun(text: string, run: readonly Word[]): boolean {
  const [first] = run;
  if (run.length !== 1 || first?.word !== 'one') return false;
  return (
    PRONOUN_BEFORE.test(text.slice(Math.max(0, first.index - LONGEST_PRONOUN), first.index)) || PRONOUN_BEHIND.test(text.slice(first.end))
  );
}

function amountOf(run: readonly Word[]): number {
  let total = 0;
  let group = 0;
  let unit = 0;
  for (const { word } of run) {
    const scale = SCALES[word];
    if (word === 'belas') unit += 10;
    else if (scale === undefined) unit += UNITS.get(word) ?? TENS.get(word) ?? 0;
    else if (scale < 1_000) {
      group += (unit || 1) * scale;
      unit = 0;
    } else {
      total += (group + unit || 1) * scale;
      group = 0;
      unit = 0;
    }
  }
  return total + group + unit;
}
