/** Licences that only require that their text is passed on. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'WTFPL',
  'Zlib',
]);

/** Licences of packages that are used only to build, test and measure, and are not distributed. */
const ALLOWED_FOR_DEVELOPMENT: ReadonlySet<string> = new Set(['MPL-2.0', 'EPL-1.0']);

interface Exception {
  readonly packages: RegExp;
  /** An SPDX expression; null if the manifest does not declare a licence. */
  readonly license: string | null;
  readonly reason: string;
}

/** Stands for `SEE LICENSE IN <file>`, which is not an SPDX expression. */
const SEE_FILE = 'SEE LICENSE';

const EXCEPTIONS: readonly Exception[] = [
  { packages: /^web-push$/, license: 'MPL-2.0', reason: 'used without changes: only changes to its own files would have to be published' },
  {
    packages: /^@img\/sharp-/,
    license: 'LGPL-3.0-or-later',
    reason:
      'libvips, a shared library that anybody may exchange, behind sharp (Apache-2.0); it is loaded in child processes that convert media',
  },
  {
    // The manifest declares MIT for the package, but it contains mpg123, which has another licence.
    packages: /^mpg123-decoder$/,
    license: 'MIT',
    reason:
      'carries mpg123 (LGPL-2.1) as WebAssembly, a file that anybody may exchange; it is loaded in child processes that convert media',
  },
  { packages: /^duck$/, license: 'BSD', reason: 'BSD-2-Clause, according to its file LICENSE; comes with the reader of docx files' },
  { packages: /^eyes$/, license: null, reason: 'MIT, according to its file LICENSE; comes with comedy, for a bench' },
  { packages: /^cycle$/, license: null, reason: 'in the public domain, according to its source; comes with comedy, for a bench' },
  { packages: /^xendit-node$/, license: null, reason: 'MIT, according to the file LICENSE in its repository; for tests only' },
  { packages: /^zapo-js$/, license: null, reason: 'MIT, according to the file LICENSE in its repository; a second client, for tests only' },
  { packages: /^argparse$/, license: 'Python-2.0', reason: 'the permissive licence of Python itself; reads arguments for a linter in CI' },
  {
    packages: /^reserved$/,
    license: null,
    reason: 'MIT, according to its file LICENSE-MIT; comes with a generator, for CI',
  },
  {
    packages: /^(n8n-workflow|@n8n\/(constants|errors|expression-runtime|tournament|utils))$/,
    license: SEE_FILE,
    reason: "n8n's own licence, which allows internal use; it tries our nodes in CI and is in nothing that we give away",
  },
  {
    packages: /^(ssh2|cpu-features|buildcheck)$/,
    license: null,
    reason: 'MIT, according to their LICENSE files; come with n8n-workflow, for CI',
  },
  { packages: /^tosource$/, license: null, reason: 'zlib, according to its file LICENSE; comes with comedy, for a bench' },
];

export interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

export function notAllowed(packages: Readonly<Record<string, Locked>>): readonly string[] {
  return Object.entries(packages)
    .filter(([place, { link }]) => place !== '' && !link)
    .filter(([place, locked]) => !isAllowed(nameOf(place), locked))
    .map(([place, { license }]) => `${nameOf(place)}: ${license ?? 'no licence'}`);
}

export const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

function isAllowed(name: string, { license, dev }: Locked): boolean {
  const exceptions = EXCEPTIONS.filter(({ packages }) => packages.test(name));
  if (license === undefined) return exceptions.some((exception) => exception.license === null && dev === true);
  if (license.startsWith(`${SEE_FILE} IN `)) return dev === true && exceptions.some((exception) => exception.license === SEE_FILE);
  const isFine = (one: string): boolean =>
    ALLOWED.has(one) || (dev === true && ALLOWED_FOR_DEVELOPMENT.has(one)) || exceptions.some((exception) => exception.license === one);
  return satisfies(license, isFine);
}

/** Evaluates an SPDX expression. `AND` binds more tightly than `OR`. Unknown terms are rejected. */
function satisfies(expression: string, isFine: (license: string) => boolean): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const one = (): boolean => {
    const word = words[at++] ?? '';
    if (word !== '(') return isFine(word);
    const inside = either();
    return words[at++] === ')' && inside;
  };
  const all = (): boolean => {
    let fine = one();
    while (words[at] === 'AND') {
      at += 1;
      fine = one() && fine;
    }
    return fine;
  };
  const either = (): boolean => {
    let fine = all();
    while (words[at] === 'OR') {
      at += 1;
      fine = all() || fine;
    }
    return fine;
  };
  return either() && at === words.length;
}

export const TOOLS_LOCKS = [
  'scripts/openapi-tools/package-lock.json',
  'scripts/chart-tools/package-lock.json',
  'test/scripts/n8n/package-lock.json',
  'test/actors/network/official/package-lock.json',
] as const;

export function toolsIn(packages: Readonly<Record<string, Locked>>): Record<string, Locked> {
  const others = Object.entries(packages).filter(([place]) => place !== '');
  return Object.fromEntries(others.map(([place, locked]) => [place, { ...locked, dev: true }]));
}
