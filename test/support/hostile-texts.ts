import { type Random, seededRandom } from '../../runtime/random.ts';

/** Characters by name, from each class that some text processing treats specially. */
const HOSTILE_CHARACTERS: Readonly<Record<string, readonly string[]>> = {
  'one combining mark': ['\u0300'],
  'marks of two classes, out of order': ['\u0300', '\u0315'],
  'a mark that decomposes into two': ['\u0344'],
  'a mark of class 0 that decomposes into two': ['\u0f73'],
  'a letter with two marks': ['\u1e09'],
  'a letter with three marks': ['\u1f82'],
  'marks beyond the first plane': ['\u{1d165}', '\u{1e94a}'],
  'Arabic ligatures of 18 letters': ['\ufdfa'],
  'Hangul jamo': ['\u1100', '\u1161', '\u11a8'],
  'Hangul vowels alone': ['\u1161'],
  'Bengali vowel signs that compose': ['\u09c7', '\u09be'],
  'a variation selector': ['\ufe0f'],
  joiners: ['\u200d', '\u034f'],
  emoji: ['👍🏽'],
  'joined emoji': ['👨‍👩‍👧‍👦'],
  'surrogate pairs': ['\u{20000}'],
  'a dotted capital İ': ['\u0130'],
  'capital sigmas': ['\u03a3', "'"],
  letters: ['a'],
  digits: ['1'],
  'full-width digits': ['\uff11'],
  spaces: [' '],
  'no-break spaces': ['\u00a0'],
  'line feeds': ['\n'],
  'carriage returns': ['\r'],
  quotes: ['"'],
  apostrophes: ["'"],
  'less-than signs': ['<'],
  braces: ['{'],
  'template openings': ['{{name|'],
  brackets: ['['],
  'links of Markdown': ['[a]('],
  dots: ['.'],
  'letters and dots': ['a.'],
  hyphens: ['a-'],
  'at signs': ['a@'],
  underscores: ['a_'],
  slashes: ['/'],
  colons: ['a:'],
  backslashes: ['\\'],
  'words of one letter': ['a '],
  'numbers and dots': ['1.'],
  'months without days': ['12 '],
  'control characters': ['\u0001'],
  'left-to-right marks': ['\u200e'],
};

/**
 * Yields texts of at most `length` UTF-16 units, one per class: its characters alternating and, if there are several,
 * each in one long run.
 */
export function* hostileTexts(length: number): Generator<readonly [name: string, text: string]> {
  for (const [name, characters] of Object.entries(HOSTILE_CHARACTERS)) {
    const together = characters.join('');
    yield [name, together.repeat(Math.floor(length / together.length))];
    if (characters.length === 1) continue;
    const each = length / characters.length;
    yield [`${name}, in runs`, `a${characters.map((one) => one.repeat(Math.max(0, Math.floor((each - 1) / one.length)))).join('')}`];
  }
}

/** Returns a text of random characters from these classes, in runs of up to `longest`. */
export function mixedText(seed: number, runs: number, longest: number): string {
  const random: Random = seededRandom(seed);
  const all = Object.values(HOSTILE_CHARACTERS).flat();
  const one = (): string => {
    const character = all[Math.floor(random() * all.length)] ?? '';
    return character.repeat(1 + Math.floor(random() * longest));
  };
  return Array.from({ length: runs }, one).join('');
}
