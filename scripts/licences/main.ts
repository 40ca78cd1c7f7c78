import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Locked, nameOf, notAllowed, TOOLS_LOCKS, toolsIn } from './rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');

function main(): void {
  const packages = lockedIn('package-lock.json');
  const tools = TOOLS_LOCKS.map((file) => toolsIn(lockedIn(file)));
  const faults = [
    ...notAllowed(packages),
    ...Object.entries(packages).flatMap(([place, locked]) => otherwise(place, locked)),
    ...tools.flatMap(notAllowed),
  ];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`${[packages, ...tools].reduce((sum, one) => sum + Object.keys(one).length, 0)} packages, and every licence is allowed`);
}

const lockedIn = (file: string): Record<string, Locked> => JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages;

function otherwise(place: string, { license, link }: Locked): readonly string[] {
  const manifest = join(ROOT, place, 'package.json');
  if (place === '' || link || license === undefined || !existsSync(manifest)) return [];
  const { license: said }: { license?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
  const own = typeof said === 'object' && said !== null && 'type' in said ? said.type : said;
  return typeof own === 'string' && own !== license ? [`${nameOf(place)}: ${license} in the lock file, ${own} as installed`] : [];
}

main();
