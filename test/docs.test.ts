import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { SUBSCRIBABLE } from '../actors/services/events/types.ts';
import { VARIABLES } from '../scripts/wiring/config.ts';

const ROOT = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pages = files.filter((file) => file.endsWith('.md'));

/** Paths under the rooms of this repository, with neither a placeholder nor a pattern in them. */
const PATH = /(?<![\w./-])(?:runtime|store|actors|http|scripts|test|docs)\/[\w./-]*[\w/]/g;

it('names only existing paths in the pages', () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(PATH)].filter(([path]) => !existsSync(join(ROOT, path))).map(([path]) => `${page}: ${path}`),
  );
  assert.deepEqual(missing, []);
  assert.ok(pages.length > 20);
});

it('links only to existing files in the pages', () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .filter(([, to]) => !existsSync(join(ROOT, dirname(page), to!)))
      .map(([, to]) => `${page}: ${to}`),
  );
  assert.deepEqual(missing, []);
});

it('cites only pages that are in the repository', () => {
  const cites = files.filter((file) => /\.(ts|js|json|md|ya?ml|grit)$|Dockerfile/.test(file) && file !== 'package-lock.json');
  const exists = (file: string, page: string): boolean =>
    existsSync(join(ROOT, page)) || (file.endsWith('.md') && existsSync(join(ROOT, dirname(file), page)));
  const missing = cites.flatMap((file) =>
    [...textOf(file).matchAll(/[\w./-]+\.md\b/g)].filter(([page]) => !exists(file, page)).map(([page]) => `${file}: ${page}`),
  );
  assert.deepEqual(missing, []);
});

it('keeps the README short, and names every setting and event in the pages', () => {
  assert.ok(textOf('README.md').split('\n').length <= 150);
  const lacking = (page: string, words: readonly string[]): readonly string[] =>
    words.filter((word) => !textOf(page).includes(`\`${word}\``));
  assert.deepEqual(lacking('docs/configuration.md', VARIABLES), []);
  assert.deepEqual(
    lacking(
      'docs/api.md',
      SUBSCRIBABLE.filter((type) => type !== 'webhook.test'),
    ),
    [],
  );
});

it('has one version: of the packages, and of the newest part of the CHANGELOG', () => {
  const versionIn = (file: string): string | undefined => /^\s*"?version"?(?: =|:) "([\d.]+)"/m.exec(textOf(file))?.[1];
  const packages = ['package.json', 'scripts/client/package.json', 'scripts/client/python/pyproject.toml'].map(versionIn);
  const newest = /^## (?:Unreleased \()?([\d.]+)\)?$/m.exec(textOf('CHANGELOG.md'))?.[1];
  assert.deepEqual(new Set([...packages, newest]), new Set([newest]));
  assert.match(newest ?? '', /^\d+\.\d+\.\d+$/);
});
