import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { it } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..');

/** Who may import whom; everybody may import from their own room. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  store: ['runtime'],
  actors: ['runtime', 'store'],
  http: ['runtime', 'store', 'actors'],
  scripts: ['runtime', 'store', 'actors', 'http'],
};

const filesIn = (room: string): readonly string[] =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(room, name));

const files = Object.keys(MAY).flatMap(filesIn);
const everywhere = [...files, ...filesIn('test')];

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Relative imports of a file, as paths from the root; `import type` too, because it also ties two rooms together. */
function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to]) =>
    relative(ROOT, resolve(ROOT, dirname(file), to!)),
  );
}

const roomOf = (file: string): string => file.split('/')[0]!;

it('imports point one way through the house', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((to) => roomOf(to) !== roomOf(file) && !MAY[roomOf(file)]!.includes(roomOf(to)))
      .map((to) => `${file} imports ${to}`),
  );
  assert.deepEqual(wrong, []);
  assert.ok(files.length > 50);
});

it('the runtime knows nothing of messaging', () => {
  const words = /whatsapp|session_id|tenant|blast|webhook/i;
  assert.deepEqual(
    files.filter((file) => roomOf(file) === 'runtime' && words.test(textOf(file))),
    [],
  );
});

it('no file imports itself around a corner', () => {
  const graph = new Map(files.map((file) => [file, runtimeImportsOf(file)]));
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `a circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

/** Without `import type`, which is gone when the program runs. */
function runtimeImportsOf(file: string): string[] {
  const text = textOf(file).replace(/import type [^;]+;/g, '');
  return [...text.matchAll(/from\s+'(\.[^']+)'/g)].map(([, to]) => relative(ROOT, resolve(ROOT, dirname(file), to!)));
}

it('what a file gives to others somebody takes', () => {
  const taken = new Set(everywhere.flatMap(takenBy));
  const idle = everywhere.flatMap((file) => {
    if (taken.has(`${file} *`)) return [];
    const given = [...textOf(file).matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(([, name]) => `${file} ${name}`);
    return given.filter((one) => !taken.has(one));
  });
  assert.deepEqual(idle, []);
});

/** What a file takes of others, as `path name`; `*` where it takes all, or starts one as a thread or a process. */
function takenBy(file: string): string[] {
  const text = textOf(file);
  const path = (to: string): string => relative(ROOT, resolve(ROOT, dirname(file), to));
  const named = [...text.matchAll(/(?:im|ex)port (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']+)'/g)].flatMap(([, names, to]) =>
    names!.split(',').map(
      (one) =>
        `${path(to!)} ${
          one
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0]
        }`,
    ),
  );
  const whole = [...text.matchAll(/(?:import \* as \w+ from |(?:import|URL|resolve|join)\([^)]*?)'(\.[^']+\.ts)'/g)];
  return [...named, ...whole.map(([, to]) => `${path(to!)} *`)];
}

it('no file is longer than 300 lines', () => {
  assert.deepEqual(
    everywhere.filter((file) => textOf(file).split('\n').length > 301),
    [],
  );
});

it('the linter refuses a clock, a timer or chance of one’s own', () => {
  const folder = mkdtempSync(join(ROOT, 'runtime', 'lint-probe-'));
  try {
    const probes = [
      'Date.now()',
      'new Date()',
      'setTimeout(() => {}, 1)',
      'setInterval(() => {}, 1)',
      'Math.random()',
      'performance.now()',
    ];
    writeFileSync(join(folder, 'probe.ts'), probes.map((probe, i) => `export const a${i} = ${probe};\n`).join(''));
    const report = lint(join(folder, 'probe.ts'));
    assert.equal(report.match(/runtime\/(clock|chance)\.ts/g)?.length, probes.length, report);
    writeFileSync(join(folder, 'probe.ts'), 'export const then = new Date(0);\n');
    assert.doesNotMatch(lint(join(folder, 'probe.ts')), /runtime\/clock\.ts/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function lint(file: string): string {
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['lint', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}
