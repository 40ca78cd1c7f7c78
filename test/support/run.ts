/** Resources shared by the files of a test run; `--test-global-setup` names this file. */
import { randomBytes } from 'node:crypto';
import { databasesOf, TEST_RUN } from './databases.ts';
import { madeFileOf } from './made-file.ts';

const mongoUrl = process.env['MONGODB_URL'];

export function globalSetup(): void {
  const run = randomBytes(4).toString('hex');
  if (mongoUrl) databasesOf(mongoUrl, run).begin();
  process.env[TEST_RUN] = run;
}

export async function globalTeardown(): Promise<void> {
  const run = process.env[TEST_RUN];
  if (run) madeFileOf(run).remove();
  if (mongoUrl && run) await databasesOf(mongoUrl, run).end();
}
