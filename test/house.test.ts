import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { buildBundle } from '../http/console/bundle.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Who may import whom; every room may import from itself. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  store: ['runtime'],
  actors: ['runtime', 'store'],
  http: ['runtime', 'store', 'actors'],
  scripts: ['runtime', 'store', 'actors', 'http'],
};

/** Runs of the real network's driver, and the cluster that has devices on it, drive the protocol peer and the fixtures of the tests; those of stores and billing the tests' own models. */
const DRIVES_FIXTURES = /^scripts\/((bench|faults)\/whatsapp|faults\/(stores|billing|analytics|privacy)|chaos|guard)\//;

/** What the browser runs. It is compiled apart, with types of its own (http/console/app/tsconfig.json). */
const BROWSER = /^http\/console\/app\//;

/** The decisions of an actor, and what all of them know: no effects, no waiting, no objects with a life of their own. */
const PURE = /^actors\/([\w-]+\/(behaviour\/|protocol\.ts$)|domain\/)/;

/** What a pure file may call of others: the vocabulary of behaviours, forms of addresses and ids, what a store's rows and statuses are. */
const PURE_ENOUGH = [
  /^runtime\/(actor-system\/behaviour|derived-ids|errors|invariant|json-scan|recent-cache|safe-text|shapes)\.ts$/,
  /^actors\/network\/(jid|port|questions)\.ts$/,
  /^store\/(messaging\/(message-row|new-message)|campaigns\/campaign-status)\.ts$/,
];

/** The rest of an actor carries out what its pure half decided; it is a room of its own, as services stand between the two. */
const CARRIES_OUT = /^actors\/[\w-]+\/(effects\/|register\.ts$|hints\.ts$|removal\.ts$)/;

/** Programs that measure, break and show a running system; some of them run actors outside of a cluster. */
const TOOLS = /^scripts\/(?!wiring\/)/;

/**
 * Assertions that a value is of a type (`as`, but for `as const`) or is there (`!`). These bounds only go down. What is left of the first are types
 * that are erased and given back (the actor system's kinds and references, kinds of secrets, the library's caches and key store, the projections and
 * drivers of the stores), two packages' types of one thing (tunnel, resend, signal), a body of the sealed wire (devices.ts) and the fakes of
 * fault runs; of the second, what a line before has seen to (indexes in loops of retrieval, of the edit distance and of benches; limits,
 * receipts, resealing) and the dispatcher's own queue.
 */
const MAX_OVERRULED = { as: 33, '!': 41 };

/** Without what a tool installs beside itself (`npm run openapi:check`). */
const filesIn = (room: string): readonly string[] => globSync(`${room}/**/*.{ts,tsx}`, { cwd: ROOT, exclude: ['**/node_modules'] });

const files = Object.keys(MAY).flatMap(filesIn);
const everywhere = [...files, ...filesIn('test')];

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const codeOf = (file: string): string => textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, '');

/** Relative imports of a file, as paths from the root; `import type` too, because it also ties two rooms together. */
function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to]) =>
    relative(ROOT, resolve(ROOT, dirname(file), to!)),
  );
}

const roomOf = (file: string): string => file.split('/')[0]!;

const wrongImports = (isWrong: (file: string, to: string) => boolean): string[] =>
  files.flatMap((file) =>
    importsOf(file)
      .filter((to) => isWrong(file, to))
      .map((to) => `${file} imports ${to}`),
  );

describe('the import rules', () => {
  it('allow folders to import each other in only one direction', () => {
    const isWrong = (file: string, to: string): boolean =>
      !BROWSER.test(file) &&
      roomOf(to) !== roomOf(file) &&
      !MAY[roomOf(file)]!.includes(roomOf(to)) &&
      !(DRIVES_FIXTURES.test(file) && to.startsWith('test/'));
    assert.deepEqual(wrongImports(isWrong), []);
    assert.ok(files.length > 50);
  });

  it('allow the browser code to be bundled', async () => {
    const { weights } = await buildBundle({ isDevelopment: false });
    assert.ok(weights.size > 0);
  });

  it('separate browser code from other code, except for a few files that browser code may import', () => {
    const known = [
      ...['http/console/pages.ts', 'http/openapi/client/gateway.generated.ts'],
      // A preview follows the rule by which texts are filled when they are sent, a dry run that by which a reply is chosen.
      ...['actors/domain/text-tokens.ts', 'actors/services/auto-reply/rule-tests.ts'],
      'runtime/safe-text.ts',
    ];
    const isWrong = (file: string, to: string): boolean =>
      BROWSER.test(file) !== BROWSER.test(to) && !(BROWSER.test(file) && known.includes(to));
    assert.deepEqual(wrongImports(isWrong), []);
    assert.ok(files.some((file) => BROWSER.test(file)));
  });

  it('forbid pure files from importing side effects or services', () => {
    const isWrong = (file: string, to: string): boolean => PURE.test(file) && /\/effects\/|^actors\/services\/|\/register\.ts$/.test(to);
    assert.deepEqual(wrongImports(isWrong), []);
  });

  it('let pure files import only pure code', () => {
    const isPure = (to: string): boolean => [PURE, ...PURE_ENOUGH].some((some) => some.test(to));
    const calls = files
      .filter((file) => PURE.test(file))
      .flatMap((file) => [...runtimeImportsOf(file), ...packagesOf(file)].filter((to) => !isPure(to)).map((to) => `${file} imports ${to}`));
    assert.deepEqual(calls, []);
  });

  it('let a gateway start without loading the sandbox or the driver of the official platform', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const to of runtimeImportsOf(file)) load(to);
    };
    load('scripts/commands/start.ts');
    const unwanted = /^actors\/(network\/(official|sandbox\/official)\/|network\/sandbox\/sandbox\.ts|services\/official\/open-login)/;
    assert.deepEqual(
      [...loaded].filter((file) => unwanted.test(file)),
      [],
    );
    assert.ok(loaded.size > 500 && loaded.has('actors/services/official/receive.ts'), `${loaded.size} files`);
  });

  it('let services import only the protocols and the pure code of actors', () => {
    const isWrong = (file: string, to: string): boolean => file.startsWith('actors/services/') && /^actors\/[\w-]+\/effects\//.test(to);
    assert.deepEqual(wrongImports(isWrong), []);
  });

  it("forbid endpoints and network drivers from importing actors' side effects", () => {
    const isWrong = (file: string, to: string): boolean =>
      (file.startsWith('http/') || file.startsWith('actors/network/')) && /^actors\/[\w-]+\/effects\//.test(to);
    assert.deepEqual(wrongImports(isWrong), []);
    assert.deepEqual(
      // The sandbox's phones make files, so it tells types and measures bytes as the library does.
      wrongImports((file, to) => file.startsWith('actors/network/') && /^actors\/services\/(?!media\/)/.test(to)),
      [],
    );
  });
});

it('pure files contain no async code, promises or classes, and do not use the process', () => {
  const pure = files.filter((file) => PURE.test(file));
  const impure = /\b(async|await|Promise|class|process|console|globalThis|fetch|queueMicrotask|setImmediate|crypto)\b(?!['":?])/;
  assert.deepEqual(
    pure.filter((file) => impure.test(codeOf(file))),
    [],
  );
  assert.ok(pure.length > 25);
});

it('tests are in the same folders as the sources they test', () => {
  // The model runs nodes, stores and networks together.
  const OF_THEIR_OWN = ['test', 'test/stories', 'test/isolation', 'test/runtime/cluster/model', 'test/simulation'];
  const homeless = filesIn('test').filter((file) => {
    const folder = dirname(file);
    if (!file.endsWith('.test.ts') || OF_THEIR_OWN.includes(folder) || file.startsWith('test/network-peer/')) return false;
    return !existsSync(join(ROOT, folder.replace(/^test\//, '')));
  });
  assert.deepEqual(homeless, []);
});

it('the runtime contains no messaging code', () => {
  const words = /whatsapp|session_id|tenant|campaign|webhook/i;
  assert.deepEqual(
    files.filter((file) => roomOf(file) === 'runtime' && words.test(textOf(file))),
    [],
  );
});

/** A folder of the first or second level; services, drivers and areas have one each. */
function smallRoomOf(file: string): string {
  const parts = file.split('/').slice(0, -1);
  if (CARRIES_OUT.test(file)) return `${parts.slice(0, 2).join('/')} (effects)`;
  const isDeep = /^(actors\/(services|network)|http\/areas|store\/engines)\//.test(file);
  return parts.slice(0, isDeep ? 3 : 2).join('/');
}

it('folders do not form import cycles, not even through type imports', () => {
  const doors = new Map<string, Map<string, string>>();
  for (const file of files)
    for (const to of importsOf(file)) {
      const [from, into] = [smallRoomOf(file), smallRoomOf(to)];
      if (from === into) continue;
      const known = doors.get(from) ?? new Map<string, string>();
      doors.set(from, known.set(into, `${file} imports ${to}`));
    }
  assert.deepEqual(circlesIn(doors), []);
  assert.ok(doors.size > 40, `${doors.size} rooms`);
});

/** Of each circle the imports that make it. */
function circlesIn(doors: ReadonlyMap<string, ReadonlyMap<string, string>>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]): void => {
    const begun = path.indexOf(room);
    if (begun >= 0) {
      const round = [...path.slice(begun), room];
      circles.push(round.slice(1).map((next, nth) => doors.get(round[nth] ?? '')?.get(next) ?? ''));
      return;
    }
    if (done.has(room)) return;
    for (const next of doors.get(room)?.keys() ?? []) visit(next, [...path, room]);
    done.add(room);
  };
  for (const room of doors.keys()) visit(room, []);
  return circles;
}

describe('clustered actors', () => {
  const ofActors = (name: string): readonly string[] => files.filter((file) => new RegExp(`^actors/[\\w-]+/${name}$`).test(file));

  it('declare a scope for each effect', () => {
    const silent = ofActors('protocol\\.ts').filter((file) => !/: EffectScopes<\w+Effect> = /.test(textOf(file)));
    assert.deepEqual(silent, []);
    assert.ok(ofActors('register\\.ts').length >= 5);
  });

  it('are registered only with the cluster, which drains and places them', () => {
    const elsewhere = files.filter((file) => !TOOLS.test(file) && /\b(actors|system)\.register\(/.test(codeOf(file)));
    assert.deepEqual(elsewhere, ['runtime/cluster/cluster-actors.ts']);
  });
});

it('message records are created in a single module', () => {
  const elsewhere = files.filter((file) => /\bclaimed_at: null,\s+sent_at: null,\s+delivered_at: null/.test(textOf(file)));
  assert.deepEqual(elsewhere, ['store/messaging/new-message.ts']);
});

it('texts are normalized in a single module', () => {
  const normalizers = files.filter((file) => /\.normalize\(/.test(codeOf(file)));
  assert.deepEqual(normalizers, ['runtime/safe-text.ts']);
});

it('only one module inspects how the validation library describes its schemas', () => {
  const readers = files.filter((file) => /\.describe\(\)|\$_terms|\bJoi\.Description\b/.test(codeOf(file)));
  assert.deepEqual(readers, ['http/core/joi-reflection.ts']);
});

it('type assertions in the code do not exceed their limit', () => {
  const counts = { as: 0, '!': 0 };
  for (const file of files) {
    const code = codeOf(file).replace(/^(import|export) [^;]*? from ''?;?$|^import [^;]+;/gm, '');
    counts.as +=
      code.match(/(?<!\*) as (?=[A-Z{([]|(?:unknown|never|string|number|boolean|object|typeof|keyof|readonly|import)\b)/g)?.length ?? 0;
    counts['!'] += code.match(/[\w)\]]!(?=[.[),;:}\]\s])(?!=)/g)?.length ?? 0;
  }
  for (const [what, count] of Object.entries(counts))
    assert.ok(count <= MAX_OVERRULED[what as keyof typeof counts], `${count} × ${what}: ask for a type instead, or lower the bound`);
});

it('files do not form import cycles, not even through type imports', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file)]));
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

/** Packages of Node that a pure file calls; those of others compute only. */
function packagesOf(file: string): string[] {
  const text = textOf(file).replace(/import type [^;]+;/g, '');
  return [...text.matchAll(/from\s+'(node:[^']+)'/g)].map(([, name]) => name!).filter((name) => name !== 'node:util');
}

/** What Node itself takes, of the file that a flag names. */
const OF_NODE = ['test/support/run.ts *'];

it('every export is imported in another file', () => {
  const plain = globSync('scripts/**/*.js', { cwd: ROOT, exclude: ['**/node_modules'] });
  const taken = new Set([...[...everywhere, ...plain].flatMap(takenBy), ...OF_NODE]);
  const idle = everywhere.flatMap((file) => {
    if (taken.has(`${file} *`)) return [];
    return exportsOf(textOf(file))
      .filter((name) => !taken.has(`${file} ${name}`))
      .map((name) => `${file} ${name}`);
  });
  assert.deepEqual(idle, []);
});

/** What a file offers: what it makes, what it hands on, and types that it does not need itself. */
function exportsOf(text: string): string[] {
  const made = [...text.matchAll(/^export (?:async )?(?:function\*?|const|let|(?:abstract )?class) (\w+)/gm)].map(([, name]) => name!);
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) =>
    names!.split(',').flatMap(
      (one) =>
        one
          .trim()
          .replace(/^type /, '')
          .split(' as ')
          .at(-1) || [],
    ),
  );
  const types = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => (text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0) < 2);
  return [...made, ...listed, ...types];
}

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
  const whole = [...text.matchAll(/(?:import \* as \w+ from |(?:import|URL|resolve|join)\([^)]*?)'(\.[^']+\.tsx?)'/g)];
  return [...named, ...whole.map(([, to]) => `${path(to!)} *`)];
}

it('lazily loaded packages are listed as dependencies, not as dev dependencies', async () => {
  const { dependencies } = JSON.parse(textOf('package.json'));
  const lazy = files.filter((file) => !TOOLS.test(file) && !BROWSER.test(file)).flatMap(packagesLoadedLater);
  assert.deepEqual(
    lazy.filter((name) => !dependencies[/^(@[^/]+\/)?[^/]+/.exec(name)![0]]),
    [],
  );
  await Promise.all(lazy.map((name) => import(name)));
  assert.ok(lazy.length > 8);
});

const packagesLoadedLater = (file: string): string[] =>
  [...codeWithTexts(file).matchAll(/(?<!typeof )\bimport\('([^.'][^']*)'\)/g)].map(([, name]) => name!);

const codeWithTexts = (file: string): string => textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/ .*$/gm, '');

it('every file has at most 400 lines', () => {
  assert.deepEqual(
    everywhere.filter((file) => !file.endsWith('.generated.ts') && textOf(file).split('\n').length > 401),
    [],
  );
});

it('the linter bans direct use of clocks, timers and randomness', () => {
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
    assert.equal(report.match(/runtime\/(clock|random)\.ts/g)?.length, probes.length, report);
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
