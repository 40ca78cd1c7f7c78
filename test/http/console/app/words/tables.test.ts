import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { at } from '../../../../../runtime/invariant.ts';

const APP = join(import.meta.dirname, '../../../../../http/console/app');
const texts = new Map(globSync('**/*.{ts,tsx}', { cwd: APP }).map((path) => [path, readFileSync(join(APP, path), 'utf8')]));

/** Names of the English table's own keys, as the formatter lays them out. */
function keysOf(text: string): readonly string[] {
  const [, table = ''] = /wordsOf\(\{\n {2}en: \{\n(.*?)\n {2}\},\n/s.exec(text) ?? [];
  return [...table.matchAll(/^ {4}(\w+)[:(,]/gm)].map((match) => at(match, 1) ?? '');
}

/** The file itself and those that import it. */
function usersOf(path: string): string {
  const own = join(APP, path);
  const imports = ([user, text]: readonly [string, string]): boolean =>
    [...text.matchAll(/from '(\.[^']+)'/g)].some(([, target = '']) => join(APP, dirname(user), target) === own);
  return [...texts]
    .filter((one) => one[0] === path || imports(one))
    .map(([, text]) => text)
    .join('\n');
}

// A word may be chosen by the value that it names.
it('the console uses every text in its text tables', () => {
  const tables = [...texts].filter(([, text]) => text.includes('= wordsOf({'));
  assert.ok(tables.length > 20, `${tables.length} tables`);
  const unused = tables.flatMap(([path, text]) => {
    const [keys, users] = [keysOf(text), usersOf(path)];
    assert.ok(keys.length > 0, `${path} has no words that can be read`);
    return keys
      .filter((key) => !new RegExp(`'${key}'|\\.${key}\\b|\\{[^{}=]*\\b${key}\\b[^{}=]*\\} = \\w+\\(\\)`).test(users))
      .map((key) => `${path} ${key}`);
  });
  assert.deepEqual(unused, []);
});
