import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SafeText, safeText, safeTexts } from '../../runtime/safe-text.ts';
import { hostileTexts, mixedText } from '../support/hostile-texts.ts';

const JOINER = '\u034f';

/** Marks of different classes: a non-starter changes places with at least one of them, a starter with none. */
const OF_CLASSES = ['\u0334', '\u3099', '\u094d', '\u05b0', '\u064b', '\u0e38', '\u0321', '\u0323', '\u0301', '\u0315', '\u035c', '\u0345'];

const nonStarters = new Map<string, boolean>();

function isNonStarter(part: string): boolean {
  const known = nonStarters.get(part) ?? OF_CLASSES.some((mark) => mark !== part && commute(mark, part));
  nonStarters.set(part, known);
  return known;
}

const commute = (one: string, other: string): boolean => (one + other).normalize('NFD') === (other + one).normalize('NFD');

const forms = new Map<string, readonly boolean[]>();

/** Of each part of its NFKD form whether it is a non-starter. */
function formOf(character: string): readonly boolean[] {
  const known = forms.get(character) ?? [...character.normalize('NFKD')].map(isNonStarter);
  forms.set(character, known);
  return known;
}

/** The Stream-Safe Text Process as UAX #15 words it, step by step. */
function asTheStandardSays(text: string): string {
  let output = '';
  let count = 0;
  for (const c of text) {
    const s = formOf(c);
    const initial = s.includes(false) ? s.indexOf(false) : s.length;
    if (count + initial > 30) {
      output += JOINER;
      count = 0;
    }
    output += c;
    count = s.includes(false) ? s.toReversed().indexOf(false) : count + s.length;
  }
  return output;
}

/** The longest run of non-starters in its NFKD form. */
function longestRun(text: string): number {
  let [run, longest] = [0, 0];
  for (const isOne of [...text].flatMap(formOf)) {
    run = isOne ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Every assigned character outside of private use; of the many of two scripts each hundredth. */
function* assigned(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (/[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue;
    if (code % 100 === 0 || !/[\p{Script=Han}\p{Script=Hangul}]/u.test(character)) yield character;
  }
}

function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const bestOf = (times: number, work: () => unknown): number => Math.min(...Array.from({ length: times }, () => cpuMs(work)));

describe('safeText', () => {
  it('treats every assigned character as the Unicode standard does', () => {
    const marks = '\u0300'.repeat(30);
    for (const character of assigned()) {
      const text = `${character}${marks}${character}`;
      assert.equal(safeText(text), asTheStandardSays(text), `U+${character.codePointAt(0)?.toString(16)}`);
    }
  });

  it('produces the same result as the Unicode algorithm for generated texts', () => {
    const texts = [...[...hostileTexts(500)].map(([, text]) => text), ...Array.from({ length: 300 }, (_, seed) => mixedText(seed, 12, 40))];
    for (const text of texts) {
      const safe = safeText(text);
      assert.equal(safe, asTheStandardSays(text), JSON.stringify(text));
      assert.ok(longestRun(safe) <= 30);
      assert.equal(safe.replaceAll(JOINER, ''), text.replaceAll(JOINER, ''));
      assert.equal(safeText(safe), safe);
      assert.equal(longestRun(text) > 30, safe !== text);
    }
  });

  it('returns ordinary texts unchanged', () => {
    for (const text of [
      '',
      'Berapa ongkir ke Solo?',
      'Việt Nam: đường Nguyễn Huệ',
      'בְּרֵאשִׁית בָּרָא אֱלֹהִים',
      'بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ',
      'नमस्ते, आप कैसे हैं?',
      'สวัสดีครับ น้ำผึ้ง',
      'བཀྲ་ཤིས་བདེ་ལེགས།',
      '안녕하세요',
      '👨‍👩‍👧‍👦❤️👍🏽🇮🇩1️⃣',
      'z̸̢͔a̷͉͝l̵̙͐g̷̮̈o̴͓͘',
      'lone \ud800 half',
    ])
      assert.equal(safeText(text), text);
  });

  it('inserts a joiner before the thirty-first mark, even if base characters contain marks', () => {
    assert.equal(safeText(`a${'\u0300'.repeat(31)}`), `a${'\u0300'.repeat(30)}${JOINER}\u0300`);
    assert.equal(safeText(`é${'\u0300'.repeat(30)}`), `é${'\u0300'.repeat(29)}${JOINER}\u0300`);
    assert.equal(safeText(`a${'\u0300'.repeat(29)}\u0344`), `a${'\u0300'.repeat(29)}${JOINER}\u0344`);
  });

  it('counts supplementary marks correctly after lone surrogates', () => {
    const marks = '\u{1d165}'.repeat(31);
    assert.equal(safeText('\ud834 \udd65'), '\ud834 \udd65');
    assert.equal(safeText(marks), asTheStandardSays(marks));
  });

  it('runs in linear time, and so does normalizing the result', () => {
    for (const [name, text] of hostileTexts(65_536)) {
      const safe = safeText(text);
      const takes = bestOf(3, () => safeText(text));
      assert.ok(takes < 12, `${name}: ${takes} ms`);
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
        const normalizing = bestOf(3, () => safe.normalize(form));
        assert.ok(normalizing < 25, `${name}: ${form} takes ${normalizing} ms`);
      }
    }
    const attack = `a${'\u0315'.repeat(32_500)}${'\u0300'.repeat(32_500)}`;
    assert.ok(bestOf(3, () => safeText(attack).normalize('NFKC')) < 25);
  });
});

describe('safeTexts', () => {
  const run = '\u0300'.repeat(31);
  const separated = `${'\u0300'.repeat(30)}${JOINER}\u0300`;

  it('normalizes every text in a value, including field names, and changes nothing else', () => {
    const bytes = Buffer.from(run);
    const at = new Date(1);
    const value = { a: run, list: [run, { [run]: run }], bytes, at, count: 1, none: null, flag: true };
    assert.deepEqual(safeTexts(value), {
      ...{ a: separated, list: [separated, { [separated]: separated }], bytes, at, count: 1, none: null, flag: true },
    });
  });

  it('returns the value itself if all of its texts are safe', () => {
    const value = { a: 'x', list: ['y', { b: 'é' }], none: null };
    assert.equal(safeTexts(value), value);
  });

  it('preserves fields with special names', () => {
    const value: unknown = JSON.parse(`{"__proto__": "${run}"}`);
    assert.deepEqual(Object.entries(Object(safeTexts(value))), [['__proto__', separated]]);
  });

  it('returns a branded type, so that the compiler rejects plain strings', () => {
    const takes = (text: SafeText): string => text;
    assert.equal(takes(safeTexts({ a: 'x' }).a), 'x');
    // @ts-expect-error a plain text
    assert.equal(takes('x'), 'x');
  });
});
