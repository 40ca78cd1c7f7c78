/** What asks for nothing more than that its text goes along. */
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

/** Also of what only builds, tests and measures, and is not passed on: its own files stay under their licence, ours do not come under it. */
const ALLOWED_FOR_DEVELOPMENT: ReadonlySet<string> = new Set(['MPL-2.0', 'EPL-1.0']);

interface Exception {
  readonly packages: RegExp;
  /** Null: what it says of itself is not in its manifest. */
  readonly license: string | null;
  /** Who it is fine for. */
  readonly reason: string;
}

const EXCEPTIONS: readonly Exception[] = [
  { packages: /^web-push$/, license: 'MPL-2.0', reason: 'used as it is: only changes of its own files would have to be passed on' },
  {
    packages: /^@img\/sharp-/,
    license: 'LGPL-3.0-or-later',
    reason:
      'libvips, a shared library that anybody may exchange, behind sharp (Apache-2.0); it is loaded in child processes that convert media',
  },
  {
    // Its manifest says MIT, which is its own; what it carries is mpg123.
    packages: /^mpg123-decoder$/,
    license: 'MIT',
    reason:
      'carries mpg123 (LGPL-2.1) as WebAssembly, a file that anybody may exchange; it is loaded in child processes that convert media',
  },
  { packages: /^duck$/, license: 'BSD', reason: 'BSD-2-Clause, says its file LICENSE; comes with the reader of docx files' },
  { packages: /^eyes$/, license: null, reason: 'MIT, says its file LICENSE; comes with comedy, for a bench' },
  { packages: /^cycle$/, license: null, reason: 'in the public domain, says its source; comes with comedy, for a bench' },
  { packages: /^xendit-node$/, license: null, reason: 'MIT, says the file LICENSE of its repository; for tests only' },
  { packages: /^zapo-js$/, license: null, reason: 'MIT, says the file LICENSE of its repository; a second client, for tests only' },
  { packages: /^argparse$/, license: 'Python-2.0', reason: 'the permissive licence of Python itself; reads arguments for a linter in CI' },
  {
    packages: /^reserved$/,
    license: null,
    reason: 'MIT, says its file LICENSE-MIT; comes with a generator, for CI',
  },
  { packages: /^tosource$/, license: null, reason: 'zlib, says its file LICENSE; comes with comedy, for a bench' },
];

/** One package of the lock file. */
export interface Locked {
  /** An SPDX expression. */
  readonly license?: string;
  readonly dev?: boolean;
  /** A package of this repository. */
  readonly link?: boolean;
}

/**
 * The packages of a lock file, by their places in it, whose licences are not allowed: a line each. Of every place there is one line at most,
 * and what names no licence is not allowed either.
 */
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
  const isFine = (one: string): boolean =>
    ALLOWED.has(one) || (dev === true && ALLOWED_FOR_DEVELOPMENT.has(one)) || exceptions.some((exception) => exception.license === one);
  return satisfies(license, isFine);
}

/** Of an SPDX expression: `AND` binds more than `OR`. What it does not know is not fine. */
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

/** The lock file of the tools that only CI installs. */
export const TOOLS_LOCK = 'scripts/openapi-tools/package-lock.json';

/** Its packages: for development, all of them. */
export function toolsIn(packages: Readonly<Record<string, Locked>>): Record<string, Locked> {
  const others = Object.entries(packages).filter(([place]) => place !== '');
  return Object.fromEntries(others.map(([place, locked]) => [place, { ...locked, dev: true }]));
}
