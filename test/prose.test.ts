/**
 * Holds comments, test titles, docs and commit subjects to plain English.
 *
 * Patterns find what a reader stumbles over: a sentence without a named subject, a negated
 * "nobody", a long sentence. Bounds for the rest that exists today only go down.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commentsOf, gradeOf, sentencesOf, titlesOf, wordsOf } from './support/prose.ts';

const ROOT = join(import.meta.dirname, '..');
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const tracked = git('ls-files', '-co', '--exclude-standard').filter(
  (file) => existsSync(join(ROOT, file)) && !file.includes('.generated.'),
);
const code = tracked.filter((file) => /\.(ts|tsx|js|css)$/.test(file));
const pages = tracked.filter((file) => /^(README|CONTRIBUTING)\.md$|^docs\/[\w-]+\.md$/.test(file));

const WITHOUT_SUBJECT =
  /^(It|Its|Theirs|Those|One that|What|Who|Whoever|Whose|Of (a|an|the|one|what|each|all|every)|So (many|much)|None|Nobody)\b/;
const ODD_WORDS = /\b(nobody|whoever|anew|at the most|dearer|comes? to rest|gives? back|in hand)\b/i;
/** A title that does not begin with a verb of the subject that its suite names. */
const WITHOUT_VERB =
  /^(that|what|who|whoever|its?|the|an?|nobody|no|none|those|one|every|each|all|so|and|of|in|on|at|for|after|before|while|when|if)\b/i;

const MAX_LONG_SENTENCES = 40;
const LONGEST_SENTENCE = 25;
const HIGHEST_GRADE = 9;
/** The last commit whose subject was not checked. */
const CHECKED_SINCE = '65f70ba42d242f86d6fb24d866587488c2edb8d2';

describe('the prose check', () => {
  it('requires every comment outside of tests to name its subject', () => {
    const found = code
      .filter((file) => !file.startsWith('test/'))
      .flatMap((file) => commentsOf(textOf(file)).map((comment) => ({ file, comment })))
      .filter(({ comment }) => WITHOUT_SUBJECT.test(comment) || ODD_WORDS.test(comment.replaceAll(/`[^`]*`/g, '')));
    assert.deepEqual(found, []);
  });

  it('requires test titles in suites to start with a verb', () => {
    const found = code
      .filter((file) => file.startsWith('test/') && file !== 'test/prose.test.ts')
      .flatMap((file) => titlesOf(textOf(file)).map((title) => `${file}: ${title}`))
      .filter((line) => WITHOUT_VERB.test(line.slice(line.indexOf(': ') + 2)));
    assert.deepEqual(found, []);
  });

  it('requires documentation pages to have short sentences that are easy to read', () => {
    const sentences = pages.map((page) => ({ page, all: sentencesOf(textOf(page)) })).filter(({ all }) => all.length > 0);
    const hard = sentences
      .map(({ page, all }) => ({ page, grade: Math.round(gradeOf(all) * 10) / 10 }))
      .filter(({ grade }) => grade > HIGHEST_GRADE);
    assert.deepEqual(hard, []);
    const long = sentences.flatMap(({ page, all }) =>
      all.filter((one) => wordsOf(one).length > LONGEST_SENTENCE).map((one) => `${page}: ${one}`),
    );
    assert.ok(
      long.length <= MAX_LONG_SENTENCES,
      `${long.length} sentences have more than ${LONGEST_SENTENCE} words, at most ${MAX_LONG_SENTENCES} may:\n${long.join('\n')}`,
    );
  });

  it('requires every commit subject to name an area and a change', () => {
    const isKnown = git('log', '--format=%H', '-2000').includes(CHECKED_SINCE);
    // A shallow clone has only the newest commits.
    const subjects = git('log', '--no-merges', '--format=%s', ...(isKnown ? [`${CHECKED_SINCE}..HEAD`] : ['-1']));
    const bad = subjects.filter((subject) => subject.length > 72 || !/^[a-z0-9, -]+: [a-z]/.test(subject));
    assert.deepEqual(bad, []);
  });

  it('detects poor comments, titles and sentences', () => {
    const [comment = ''] = commentsOf('const a = 1;\n/** What became of it. */\nconst b = 2;');
    assert.match(comment, WITHOUT_SUBJECT);
    assert.match(commentsOf('/**\n * Rows that\n * nobody owns.\n */')[0] ?? '', ODD_WORDS);
    assert.deepEqual(commentsOf("const url = 'https://example.com'; // The address."), ['The address.']);
    assert.deepEqual(
      titlesOf("  it('that is killed', () => {}); it(`sends`, () => {});").map((title) => WITHOUT_VERB.test(title)),
      [true, false],
    );
    const [long = ''] = sentencesOf(`# Title\n\n| a | table |\n\nThis ${'very '.repeat(30)}long sentence ends. This one is short.`);
    assert.equal(wordsOf(long).length, 34);
    assert.ok(gradeOf(['You send a text.']) < 3);
    assert.ok(gradeOf(['Multitudinous organizational responsibilities necessitate extraordinary administrative capabilities.']) > 20);
  });
});
