import { randomBytes } from 'node:crypto';
import { systemClock } from '../../runtime/clock.ts';
import { isOneOf } from '../../runtime/shapes.ts';
import { hasRedis } from '../../test/support/redis.ts';
import { PARTS, type PartName, runGuard } from './guard.ts';
import type { Figure, Verdict } from './judge.ts';

/** `PARTS`, `ONLY` (part of a title), `ONE_OF` (every n-th case), `STORES` and `SIZE` shorten a run, and `SEED` repeats one. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);

  if (!hasRedis) process.stdout.write('redis-server is not installed: the bus is left out.\n');
  let failed = 0;
  for (const store of storesIn(env)) {
    const mongodbUrl = store === 'mongodb' ? freshDatabase(env['MONGODB_URL'] ?? '') : null;
    process.stdout.write(`\nstall guard, ${store} (SEED=${seed})\n`);
    const verdicts = await runGuard({
      mongodbUrl,
      size: env['SIZE'] === 'short' ? 'short' : 'whole',
      seed,
      hasRedis,
      ...(env['ONLY'] && { only: env['ONLY'] }),
      ...(env['ONE_OF'] && { oneOf: Number(env['ONE_OF']) }),
      ...(env['PARTS'] && { parts: partsIn(env['PARTS']) }),
      onPart: (part, verdict) => process.stdout.write(`${reportOf(part, verdict)}\n`),
      ...(env['FIGURES'] && { onFigure: (figure) => process.stderr.write(`  ${lineOf(figure)}\n`) }),
    });
    for (const verdict of verdicts.values()) failed += verdict.failed.length;
  }
  process.stdout.write(`\n${failed === 0 ? 'passed' : `FAILED: ${failed} cases`}\n`);
  process.exit(failed === 0 ? 0 : 1);
}

function storesIn(env: NodeJS.ProcessEnv): readonly string[] {
  if (env['STORES']) return env['STORES'].split(',');
  if (env['MONGODB_URL']) return ['embedded', 'mongodb'];
  process.stdout.write('MONGODB_URL is not set: that store is left out.\n');
  return ['embedded'];
}

function partsIn(names: string): readonly PartName[] {
  return names.split(',').map((name) => {
    if (!isOneOf(PARTS, name)) throw new Error(`PARTS: ${name} is no part; they are ${PARTS.join(', ')}.`);
    return name;
  });
}

function freshDatabase(server: string): string {
  const url = new URL(server);
  url.pathname = `/guard_${randomBytes(6).toString('hex')}`;
  return url.href;
}

const MB = 1_048_576;

function reportOf(part: PartName, { cases, failed, listed }: Verdict): string {
  const lines = [...failed.map((figure) => `    FAILED  ${lineOf(figure)}`), ...listed.map((figure) => `    listed  ${lineOf(figure)}`)];
  return [`  ${part.padEnd(12)} ${cases} cases, ${failed.length} failed, ${listed.length} listed`, ...lines].join('\n');
}

function lineOf({ title, cpuMs, memory, ended }: Figure): string {
  return `${Math.round(cpuMs)} ms, ${Math.round(memory / MB)} MB  ${title.slice(0, 300)}${ended === null ? '' : `: ${ended}`}`;
}

await main();
