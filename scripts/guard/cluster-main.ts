import { randomBytes } from 'node:crypto';
import { hasRedis } from '../../test/support/redis.ts';
import { attackCluster, type ClusterVerdict, holds } from './cluster.ts';

const WARM_UP_MS = 150_000;

/** `SENDS` and `ROUNDS` set the size. Needs `MONGODB_URL` and redis-server. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  if (!env['MONGODB_URL'] || !hasRedis)
    return void process.stdout.write('MONGODB_URL or redis-server is missing: the cluster is left out.\n');
  const url = new URL(env['MONGODB_URL']);
  url.pathname = `/guard_${randomBytes(6).toString('hex')}`;
  const [sends, rounds] = [Number(env['SENDS'] ?? 500), Number(env['ROUNDS'] ?? 7)];
  const verdict = await attackCluster({ mongodbUrl: url.href, sends, rounds, warmUpMs: WARM_UP_MS });
  const { moved, lost, texts, alone, attacked, worst } = verdict;
  process.stdout.write(
    `  ${texts} hostile texts; ${moved.length} leases changed their owner, ${lost} were lost\n${moved.map((lease) => `    ${lease}\n`).join('')}` +
      `  a send of another tenant, 99th percentile and worst: ${shown(alone)} alone, ${shown(attacked)} beside them\n` +
      `  the slowest of each round beside them: ${worst.map((ms) => ms.toFixed(1)).join(', ')} ms\n` +
      `${holds(verdict) ? 'passed' : 'FAILED'}\n`,
  );
  process.exit(holds(verdict) ? 0 : 1);
}

const shown = ({ p99, worst }: ClusterVerdict['alone']): string => `${p99.toFixed(1)} and ${worst.toFixed(1)} ms`;

await main();
