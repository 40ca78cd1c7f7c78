import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { SUBSCRIBABLE } from '../actors/services/events/types.ts';
import { readOrders } from '../scripts/commands/cluster/orders.ts';
import { ACCOUNT } from '../scripts/commands/shell/account.ts';
import { BRIDGE } from '../scripts/commands/shell/bridge.ts';
import { CAMPAIGNS } from '../scripts/commands/shell/campaigns.ts';
import { understood } from '../scripts/commands/shell/command.ts';
import { COSTS } from '../scripts/commands/shell/costs.ts';
import { DEVICES } from '../scripts/commands/shell/devices.ts';
import { LISTEN } from '../scripts/commands/shell/listen/listen.ts';
import { MESSAGES } from '../scripts/commands/shell/messages.ts';
import { MOVE_IN } from '../scripts/commands/shell/move-in/move-in.ts';
import { PROBE } from '../scripts/commands/shell/probe/probe.ts';
import { WHY } from '../scripts/commands/shell/why.ts';
import { VARIABLES } from '../scripts/wiring/config.ts';

const ROOT = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pages = files.filter((file) => file.endsWith('.md'));

/** Paths under the rooms of this repository, with neither a placeholder nor a pattern in them. */
const PATH = /(?<![\w./-])(?:runtime|store|actors|http|scripts|test|docs)\/[\w./-]*[\w/]/g;

it('the documentation mentions only file paths that exist', () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(PATH)].filter(([path]) => !existsSync(join(ROOT, path))).map(([path]) => `${page}: ${path}`),
  );
  assert.deepEqual(missing, []);
  assert.ok(pages.length > 20);
});

it('the documentation links only to files that exist', () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .filter(([, to]) => !existsSync(join(ROOT, dirname(page), to!)))
      .map(([, to]) => `${page}: ${to}`),
  );
  assert.deepEqual(missing, []);
});

it('the documentation refers only to documentation pages that exist', () => {
  const cites = files.filter((file) => /\.(ts|js|json|md|ya?ml|grit)$|Dockerfile/.test(file) && !file.endsWith('package-lock.json'));
  const exists = (file: string, page: string): boolean =>
    existsSync(join(ROOT, page)) || (file.endsWith('.md') && existsSync(join(ROOT, dirname(file), page)));
  const missing = cites.flatMap((file) =>
    [...textOf(file).matchAll(/[\w./-]+\.md\b/g)].filter(([page]) => !exists(file, page)).map(([page]) => `${file}: ${page}`),
  );
  assert.deepEqual(missing, []);
});

const COMMANDS = [ACCOUNT, BRIDGE, CAMPAIGNS, COSTS, DEVICES, LISTEN, MESSAGES, MOVE_IN, PROBE, WHY].flat();

/** Throws if `gateway` refuses these words, or would print its help. */
function expectUnderstood(words: readonly string[]): void {
  if (words[0] === 'cluster') return assert.notEqual(readOrders(words.slice(1)).order.do, 'help');
  if (words[0] === 'operator') return assert.deepEqual(words.slice(1), ['reset-2fa']);
  const command = [2, 1].flatMap((count) => COMMANDS.filter(({ name }) => name === words.slice(0, count).join(' ')))[0];
  assert.ok(command, 'there is no such command');
  assert.ok(understood(command, words.slice(command.name.split(' ').length)));
}

/** The commands of a page's shell blocks that begin with these words, without comments. */
function printed(page: string, start: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, code = '']) => code);
  const lines = blocks.flatMap((code) => code.replaceAll(/\\\n\s*/g, '').split(/\n| && /));
  return lines.flatMap((line) => line.match(new RegExp(`(?<![\\w-])${start} .*?(?= +# | &$|$)`))?.slice(0, 1) ?? []);
}

/** Words as a shell splits them; a reader replaces what is between `<` and `>` by one word. */
const wordsIn = (line: string): readonly string[] =>
  (line.replaceAll(/<[^>]*>/g, 'x').match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ''));

it('the documentation describes only commands that the command line accepts', () => {
  const lines = pages.flatMap((page) => printed(page, 'npx gateway'));
  assert.ok(lines.length > 15, `${lines.length} commands`);
  for (const line of lines) {
    assert.doesNotThrow(() => expectUnderstood(wordsIn(line).slice(2)), line);
  }
  const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts);
  const runs = pages.flatMap((page) => printed(page, 'npm run'));
  assert.ok(runs.length > 5, `${runs.length} scripts`);
  for (const line of runs) assert.ok(scripts.includes(wordsIn(line)[2] ?? ''), line);
});

it('the README is short, and the documentation covers every setting and event', () => {
  assert.ok(textOf('README.md').split('\n').length <= 150);
  const lacking = (page: string, words: readonly string[]): readonly string[] =>
    words.filter((word) => !textOf(page).includes(`\`${word}\``));
  assert.deepEqual(lacking('docs/configuration.md', VARIABLES), []);
  assert.deepEqual(
    lacking(
      'docs/events.md',
      SUBSCRIBABLE.filter((type) => type !== 'webhook.test'),
    ),
    [],
  );
});

it('all packages and the latest CHANGELOG entry have the same version', () => {
  const versionIn = (file: string): string | undefined => /^\s*"?version"?(?: =|:) "([\d.]+)"/m.exec(textOf(file))?.[1];
  const packages = ['package.json', 'scripts/client/package.json', 'scripts/client/python/pyproject.toml'].map(versionIn);
  const newest = /^## (?:Unreleased \()?([\d.]+)\)?$/m.exec(textOf('CHANGELOG.md'))?.[1];
  assert.deepEqual(new Set([...packages, newest]), new Set([newest]));
  assert.match(newest ?? '', /^\d+\.\d+\.\d+$/);
});

describe('the table of phone and gateway features', () => {
  const [head = [], , ...shared] = textOf('docs/shared-features.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
  const titled = (file: string, title: string): boolean => existsSync(join(ROOT, file)) && textOf(file).includes(`it('${title}'`);
  const storyIn = (cell: string): readonly [file: string, title: string] => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(cell) ?? [];
    return [file, title];
  };

  it('names an existing sandbox test and an existing driver test in each row', () => {
    assert.deepEqual(head, ['feature', 'event or field', 'story on the sandbox', 'sandbox action', 'story on the driver', 'access']);
    assert.ok(shared.length >= 12);
    const suite = textOf('test/actors/network/contract.ts');
    for (const [ability, , sandbox = '', , driver = ''] of shared) {
      const [[file, title], [of, story]] = [storyIn(sandbox), storyIn(driver)];
      assert.ok(titled(file, title) && textOf(file).includes('eachStore('), `${ability}: ${sandbox}`);
      assert.ok(titled(of, story), `${ability}: ${driver}`);
      assert.ok(
        of.startsWith('test/actors/network/whatsapp/') || suite.includes(of.replace('test/actors/network/', './')),
        `${ability}: ${driver} runs on both`,
      );
    }
  });

  it('names only sandbox actions, API fields and events that exist', () => {
    const api = textOf('http/openapi/client/gateway.generated.ts');
    const acts = files.filter((file) => /^(actors\/network|http\/areas)\/sandbox\/[\w-]+\.ts$/.test(file)).map(textOf);
    for (const [ability, fields = '', , act = '', , who = ''] of shared) {
      for (const [, name = ''] of `${fields} ${act}`.matchAll(/`(?:\w+ )?([^`]+)`/g))
        assert.ok(
          [api, ...acts].some((text) => text.includes(name.replace(/^…|^history\.(?=months)/, ''))),
          `${ability}: ${name}`,
        );
      assert.ok(who.length > 0, ability);
    }
  });
});
