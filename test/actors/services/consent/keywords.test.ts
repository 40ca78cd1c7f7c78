import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compileOptOut, compileWords } from '../../../../actors/services/consent/keywords.ts';
import { COURTESY } from '../../../../actors/services/consent/words/courtesy.ts';
import { OPT_OUT } from '../../../../actors/services/consent/words/opt-out.ts';
import { DEFAULT_OPT_IN, DEFAULT_OPT_OUT } from '../../../../actors/services/consent/words/words.ts';
import { safeText } from '../../../../runtime/safe-text.ts';
import { hostileTexts } from '../../../support/hostile-texts.ts';

/** Lines of `<language>\t<message>`; `\n` and `\t` in a message are written so. */
function corpus(name: string): readonly (readonly [language: string, message: string])[] {
  const lines = readFileSync(join(import.meta.dirname, 'corpus', `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [language = '', message = ''] = line.split(/\t(.*)/s);
    return [language, message.replaceAll('\\n', '\n').replaceAll('\\t', '\t')];
  });
}

const languages = (lines: readonly (readonly [string, string])[]): number => new Set(lines.map(([language]) => language)).size;
/** Whether a message is one of the words. */
function heard(words: readonly string[]): (message: string) => boolean {
  const isOne = compileWords(words);
  return (message) => isOne(safeText(message));
}

function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage().user;
  work();
  return process.threadCpuUsage().user - before;
}

const isOptOut = compileOptOut(DEFAULT_OPT_OUT);
const optsOut = (message: string): boolean => isOptOut(safeText(message));

describe('a request to opt out', () => {
  it('is recognized in 40 languages, however it is decorated', () => {
    const sayings = corpus('opt-out');
    assert.ok(sayings.length >= 500 && languages(sayings) >= 40, `${sayings.length} sayings in ${languages(sayings)} languages`);
    assert.deepEqual(
      sayings.filter(([, message]) => !optsOut(message)),
      [],
    );
  });

  it('is not detected in ordinary sentences', () => {
    const sentences = corpus('ordinary');
    assert.ok(sentences.length >= 500 && languages(sentences) >= 40, `${sentences.length} sentences in ${languages(sentences)} languages`);
    assert.deepEqual(
      sentences.filter(([, message]) => optsOut(message)),
      [],
    );
  });

  it('is not detected in everyday replies in any of the languages', () => {
    const answers = corpus('everyday').map(([language, words]) => [language, words.split('|')] as const);
    for (const language of Object.keys(OPT_OUT)) {
      const known = answers.find(([one]) => one === language)?.[1] ?? [];
      assert.ok(known.length >= 15, `${known.length} everyday answers in ${language}`);
    }
    const bare = (text: string): string => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
    const dressed = (text: string): readonly string[] => [text, `${text}!`, text.toUpperCase(), ` ${text} 🙏`, bare(text)];
    const wrong = answers.flatMap(([language, words]) =>
      words.filter((word) => dressed(word).some(optsOut)).map((word) => `${language} ${word}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('is not detected in everyday replies with a polite phrase before or after them', () => {
    const answers = new Map(corpus('everyday').map(([language, words]) => [language, words.split('|')]));
    const wrong = Object.entries(COURTESY).flatMap(([language, { before, after }]) =>
      [...(answers.get(language) ?? []), ''].flatMap((word) => [
        ...before.split('|').map((courtesy) => `${courtesy} ${word}`),
        ...after.split('|').map((courtesy) => `${word} ${courtesy}`),
      ]),
    );
    assert.deepEqual(wrong.filter(optsOut), []);
  });

  it('is never confused with an opt-in, or vice versa', () => {
    const optsIn = heard(DEFAULT_OPT_IN);
    // Kazakh "begin", Russian "enough".
    assert.equal(optsIn('Баста'), false);
    const both = [...corpus('opt-out'), ...corpus('ordinary')].filter(
      ([, message]) => optsIn(message) && !/^(start|subscribe)$/.test(message),
    );
    assert.deepEqual(both, []);
    assert.deepEqual(
      DEFAULT_OPT_IN.filter((word) => optsOut(word) || !optsIn(` ${word.toUpperCase()}! `)),
      [],
    );
  });
});

describe("a tenant's keyword", () => {
  it('matches with polite phrases, and replaces the default keywords', () => {
    const isOne = compileOptOut(['Ne kommen!', 'BERHENTI']);
    const said = ['please ne kommen, thanks', 'ne kommen ne kommen', 'berhenti ya kak', 'NE KOMMEN\n\nSent from my iPhone'];
    assert.deepEqual(
      said.map((text) => isOne(safeText(text))),
      said.map(() => true),
    );
    assert.deepEqual(
      ['stop', 'stop kak', 'stop stop', 'ne kommen?'].map((text) => isOne(safeText(text))),
      [false, false, false, true],
    );
  });

  it('matches in any spelling, but an emoji must be exactly the same', () => {
    const isOne = heard(['Ne kommen!', '❌', 'Árvíztűrő']);
    assert.deepEqual(['NE  KOMMEN', 'ne kommen.', ' ❌\n', 'arvizturo', 'ÁRVÍZTŰRŐ'].map(isOne), [true, true, true, true, true]);
    assert.deepEqual(['nekommen', '❌❌ no', '👍', '', 'árvízturó'].map(isOne), [false, false, false, false, false]);
  });

  it('is found in the same time, however long the message is', () => {
    assert.equal(optsOut(`stop${'\u200b'.repeat(60_000)}`), true);
    assert.equal(optsOut(`${'stop '.repeat(13_000)}`), false);
    for (const [name, text] of hostileTexts(65_536))
      for (const message of [text, `STOP ${text}`]) {
        const takes = Math.min(...[1, 2, 3].map(() => cpuOf(() => optsOut(message))));
        assert.ok(takes < 25_000, `${name}: ${takes} µs`);
      }
  });

  it('matches despite decoration before it, but not after other words', () => {
    for (const tail of ['!', ' ', '\n', '😀', '👍🏽', '👨‍👩‍👧‍👦', '❤️', '\u0300', '!? ', '\u3164'])
      assert.ok(optsOut(`STOP${tail.repeat(500)}`), JSON.stringify(tail));
    assert.ok(optsOut(`${'🙏'.repeat(500)} ST${'O'.repeat(500)}P`));
    for (const gap of [' ', '!', '\n', '😀', '\u0300'])
      for (const length of [1, 30, 396, 397, 5_000])
        assert.ok(!optsOut(`STOP${gap.repeat(length)} sending me the wrong colour`), `${length} × ${JSON.stringify(gap)}`);
    assert.ok(!optsOut(`STOP ${'please read this '.repeat(40)}`));
  });
});
