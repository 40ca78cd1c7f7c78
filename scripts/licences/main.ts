import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Locked, nameOf, notAllowed } from './rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * `npm run licences`: fails when a package of the lock file, for whatever platform, is under a licence that is not in the list of what is
 * allowed, or when one that is installed says something else of itself than the lock file does.
 */
function main(): void {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const faults = [...notAllowed(packages), ...Object.entries(packages).flatMap(([place, locked]) => otherwise(place, locked))];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`${Object.keys(packages).length} packages, and every licence is allowed`);
}

function otherwise(place: string, { license, link }: Locked): readonly string[] {
  const manifest = join(ROOT, place, 'package.json');
  if (place === '' || link || license === undefined || !existsSync(manifest)) return [];
  const { license: said }: { license?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
  const own = typeof said === 'object' && said !== null && 'type' in said ? said.type : said;
  return typeof own === 'string' && own !== license ? [`${nameOf(place)}: ${license} in the lock file, ${own} as installed`] : [];
}

main();
