import { seededChance } from '../../runtime/chance.ts';
import { systemClock } from '../../runtime/clock.ts';
import { RedisServer } from '../servers/redis.ts';
import { type LimitsRun, runLimits } from './run.ts';

/** `npm run faults:limits`: 3 nodes and 10,000 tries against one limit over Redis, then nodes that count apart, which must show too many. `SEED` repeats. */
async function main(): Promise<void> {
  const seed = Number(process.env['SEED'] ?? systemClock.now() % 1_000_000);
  const redis = await RedisServer.start();
  const order = { redisUrl: redis.url, nodes: 3, tries: 10_000, max: 100, windowMs: 1_000 };
  const run = (apart: boolean): ReturnType<typeof runLimits> =>
    runLimits({ ...order, chance: seededChance(seed), apart } satisfies LimitsRun);
  const together = await run(false);
  const apart = await run(true);
  await redis.remove();
  process.stdout.write(`as it is (SEED=${seed})\n  ${JSON.stringify(together)}\n`);
  process.stdout.write(`each node for itself: there must be windows with too many, else this proves nothing\n  ${JSON.stringify(apart)}\n`);
  const isPassed = together.overfull + together.wronged + together.broken === 0 && apart.overfull > 0;
  process.stdout.write(`${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

await main();
