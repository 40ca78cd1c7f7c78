/**
 * `npm run check` checks format, lint, licences, types and tests. Tests often wait, so types are
 * checked while the tests run. Type errors are printed as they are found, and mentioned again in
 * the last line.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const FIRST = ['lint', 'licences'];
const BESIDE_TESTS = 'types';

process.exitCode = (await firstFailed()) ? 1 : await testsAndTypes();

async function firstFailed(): Promise<boolean> {
  for (const name of FIRST) if (!(await passes(name))) return true;
  return false;
}

async function testsAndTypes(): Promise<number> {
  const [typesPass, testsPass] = await Promise.all([passes(BESIDE_TESTS), passes('test')]);
  if (!typesPass) process.stderr.write('There are type errors. Run npm run types to see them.\n');
  return typesPass && testsPass ? 0 : 1;
}

async function passes(name: string): Promise<boolean> {
  const [code] = await once(spawn('npm', ['run', name], { stdio: 'inherit' }), 'exit');
  return code === 0;
}
