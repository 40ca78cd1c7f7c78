/**
 * `npm run check`: format, lint, licences, types and tests. Tests often wait, so the types are checked while the tests
 * run. A type error is printed when it is found, and the last line says so again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** These take seconds. The first failure ends the command. */
const FIRST = ['lint', 'licences'];
const BESIDE_TESTS = 'types';

process.exitCode = (await firstFailed()) ? 1 : await testsAndTypes();

async function firstFailed(): Promise<boolean> {
  for (const name of FIRST) if (!(await passes(name))) return true;
  return false;
}

async function testsAndTypes(): Promise<number> {
  const [typesPass, testsPass] = await Promise.all([passes(BESIDE_TESTS), passes('test')]);
  if (!typesPass) process.stderr.write('The types are wrong: npm run types prints how.\n');
  return typesPass && testsPass ? 0 : 1;
}

async function passes(name: string): Promise<boolean> {
  const [code] = await once(spawn('npm', ['run', name], { stdio: 'inherit' }), 'exit');
  return code === 0;
}
