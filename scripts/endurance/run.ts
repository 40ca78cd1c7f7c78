import { pause, systemClock } from '../../runtime/clock.ts';
import { seededRandom } from '../../runtime/random.ts';
import { moveIn } from '../chaos/customer.ts';
import { FAULT_NAMES, type FaultName } from '../chaos/faults.ts';
import { storm } from '../chaos/storm.ts';
import { World } from '../chaos/world.ts';
import { expected } from '../faults/caller.ts';
import { startReceiver } from '../faults/webhook-receiver.ts';
import { collect, settled, WATCHED } from './evidence.ts';
import { type BOUNDS, FEWEST, seriesOf } from './flatness.ts';
import { Life, type LifeRates } from './life.ts';
import { type Moment, momentOf } from './samples.ts';
import { judge, type Verdict } from './verdict.ts';

export interface EnduranceOptions {
  readonly mongodbUrl: string;
  readonly seed: number;
  readonly devices: number;
  readonly seconds: number;
  readonly rates: LifeRates;
  readonly sampleEveryMs: number;
  readonly calmMs: number;
  /** Fraction of first and second attempts that the webhook receiver fails on purpose. */
  readonly badPart: number;
  readonly settlesWithinMs: number;
  readonly ttlMs: number;
  readonly bounds?: typeof BOUNDS;
  readonly plants?: { readonly leak?: 'timer'; readonly forgets?: number };
  readonly onMoment?: (moment: Moment) => void;
  readonly onFault?: (name: FaultName, node: string) => void;
}

export interface EnduranceResult {
  readonly verdict: Verdict;
  readonly moments: readonly Moment[];
  readonly faults: ReadonlyMap<FaultName, number>;
  readonly lastedMs: number;
}

/** Faults never restart this node, so that leaks become visible. */
const SPARED = 'n1';
const SECRET = 'the secret of a receiver of an endurance run';
/** A run may be extended by this factor if a busy machine yields too few samples. */
const LONGEST = 4;
const LATE_MS = 11_000;
const PATIENCE_MS = 20_000;

export async function enduranceRun(options: EnduranceOptions): Promise<EnduranceResult> {
  const { mongodbUrl, seed, devices, plants = {} } = options;
  const receiver = await startReceiver({
    secret: SECRET,
    random: seededRandom(seed + 2),
    lateMs: LATE_MS,
    keyOf: ({ type, data }) => `${type} ${data['message_id']}`,
    badPart: options.badPart,
    forgets: plants.forgets ?? 0,
  });
  const envOf = (node: string) => ({
    EGRESS_ALLOW: receiver.place,
    ...(plants.leak && node === SPARED && { LEAK: plants.leak }),
  });
  const world = await World.open({ mongodbUrl, guard: 'on', hasPeer: true, ttlMs: options.ttlMs, patienceMs: PATIENCE_MS, envOf });
  try {
    await moveIn(world, devices);
    expected(await world.api('PUT', '/v1/settings', { send_window: { enabled: false } }), 200);
    expected(await world.api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: Object.values(WATCHED) }), 201);
    const life = new Life(world, seededRandom(seed + 1));
    life.start(options.rates);
    const { moments, faults, lastedMs } = await ordeal(world, options).finally(() => life.stop());
    const rest = await settled(world, life.ledger, receiver, options.settlesWithinMs);
    const evidence = await collect(world, life.ledger, receiver, rest);
    return { verdict: judge(evidence, seriesOf(moments, options.bounds)), moments, faults, lastedMs };
  } finally {
    receiver.close();
    await world.close();
  }
}

async function ordeal(world: World, { seed, seconds, calmMs, sampleEveryMs, onMoment, onFault }: EnduranceOptions) {
  const startedAt = systemClock.monotonic();
  const moments: Moment[] = [];
  const isOver = (): boolean => {
    const seen = moments.filter(({ nodes }) => nodes.some(({ name }) => name.startsWith(SPARED)));
    const elapsed = (systemClock.monotonic() - startedAt) / 1_000;
    return elapsed > seconds * (seen.length >= FEWEST ? 1 : LONGEST);
  };
  const sampling = async (): Promise<void> => {
    while (!isOver()) {
      await pause(systemClock, sampleEveryMs);
      const moment = await momentOf(world, startedAt);
      moments.push(moment);
      onMoment?.(moment);
    }
  };
  const random = seededRandom(seed);
  const struck = storm({ world, names: FAULT_NAMES, isOver, random, spared: SPARED, calmMs, ...(onFault && { onFault }) });
  const [faults] = await Promise.all([struck, sampling()]);
  return { moments, faults, lastedMs: systemClock.monotonic() - startedAt };
}
