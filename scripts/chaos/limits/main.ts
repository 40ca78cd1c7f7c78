import { systemClock } from '../../../runtime/clock.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { RedisServer } from '../../servers/redis.ts';
import { runHttpLimits } from './over-http.ts';
import { type LimitsRun, runLimits } from './run.ts';

const TRIES = 10_000;
const NODES = 3;

interface Counts {
  readonly overfull: number;
  readonly wronged: number;
  readonly broken: number;
}

type Run = (apart: boolean) => Promise<Counts>;

/** If `MONGODB_URL` is set, nodes are called over HTTP. `TRIES` sets the number of calls. */
async function main(): Promise<void> {
  const seed = Number(process.env['SEED'] ?? systemClock.now() % 1_000_000);
  const tries = Number(process.env['TRIES'] ?? TRIES);
  const mongodbUrl = process.env['MONGODB_URL'];
  const isPassed = mongodbUrl ? await judge(seed, overHttp(mongodbUrl, seed, tries)) : await inOneProcess(seed, tries);
  process.stdout.write(`${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

async function inOneProcess(seed: number, tries: number): Promise<boolean> {
  const redis = await RedisServer.start();
  const order = { redisUrl: redis.url, nodes: NODES, tries, max: 100, windowMs: 1_000 };
  try {
    return await judge(seed, (apart) => runLimits({ ...order, random: seededRandom(seed), apart } satisfies LimitsRun));
  } finally {
    await redis.remove();
  }
}

/** The control run, in which nodes count separately, makes only a tenth of the calls. */
const overHttp =
  (mongodbUrl: string, seed: number, tries: number): Run =>
  (apart) =>
    runHttpLimits({
      ...{ mongodbUrl, seed, nodes: NODES, max: 120, everyMs: 700, patient: 20, apart },
      tries: apart ? Math.ceil(tries / 10) : tries,
    });

async function judge(seed: number, run: Run): Promise<boolean> {
  const together = await run(false);
  process.stdout.write(`as it is (SEED=${seed})\n  ${JSON.stringify(together)}\n`);
  const apart = await run(true);
  process.stdout.write(
    `nodes count separately: there must be windows with too many calls, otherwise the run proves nothing\n  ${JSON.stringify(apart)}\n`,
  );
  return together.overfull + together.wronged + together.broken === 0 && apart.overfull > 0;
}

await main();
