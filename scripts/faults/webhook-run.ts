import { pause, systemClock } from '../../runtime/clock.ts';
import { type Random, seededRandom } from '../../runtime/random.ts';
import { expected } from './caller.ts';
import { until } from './processes.ts';
import { type Mood, type Receiver, startReceiver } from './webhook-receiver.ts';
import { SHOP, World } from './world.ts';

export interface WebhookRun {
  readonly events: number;
  readonly kills: number;
  readonly seed: number;
  /** Whether the gateway loses pending deliveries on a restart. If so, the run must show losses. */
  readonly forgetful: boolean;
  readonly mongodbUrl: string | null;
}

export interface WebhookVerdict {
  readonly events: number;
  readonly kills: number;
  readonly requests: number;
  readonly lost: number;
  readonly renamed: number;
  readonly badlySigned: number;
  /** Number of messages delivered more than once under one id, which is allowed. */
  readonly repeated: number;
  readonly moods: ReadonlyMap<Mood, number>;
}

/**
 * Factors by which time runs faster. The 10 s deadline uses the lower DEADLINE_SPEED, because a
 * busy machine must still meet it.
 */
const SPEED = 40;
const DEADLINE_SPEED = 5;
const SECRET = 'the secret of a receiver in every mood';
const WRITER = '6281211110001';
const LATE_MS = 11_000;
const MAX_CONCURRENT = 10;
const LONGEST_LIFE_MS = 3_000;
/** Longer than the longest pause between two attempts. */
const STUCK_AFTER_MS = 100_000;
const FORGOTTEN_AFTER_MS = 10_000;

export async function runWebhooks({ events, kills, seed, forgetful, mongodbUrl }: WebhookRun): Promise<WebhookVerdict> {
  const random = seededRandom(seed);
  const receiver = await startReceiver({ secret: SECRET, random, lateMs: LATE_MS / DEADLINE_SPEED });
  const env: Record<string, string> = { EGRESS_ALLOW: receiver.place, ...(forgetful && { FORGETFUL: '1' }) };
  const world = await World.open({ guard: 'on', mongodbUrl, victim: { name: 'webhooks', env } });
  try {
    const webhook = { url: receiver.url, secret: SECRET, events: ['message.received'] };
    expected(await world.api('POST', '/v1/webhooks', webhook), 201);
    // Sets the speed only after linking, because the network's codes expire at normal speed.
    Object.assign(env, { SPEED: `${SPEED},${DEADLINE_SPEED}`, SINCE: String(systemClock.now()) });
    await restart(world);
    const writing = writeAll(world, events);
    for (let kill = 0; kill < kills; kill += 1) {
      // Waits for a refusal, because the control run loses a delivery only if it needs a retry.
      if (forgetful) await until(STUCK_AFTER_MS, async () => refusedBy(receiver) > 0);
      await dieSoon(world, forgetful ? () => 0 : random);
    }
    await writing;
    await settled(receiver, events, forgetful ? FORGOTTEN_AFTER_MS : STUCK_AFTER_MS);
    return verdictOf(receiver, events, kills);
  } finally {
    receiver.close();
    await world.close();
  }
}

async function writeAll({ sandbox }: World, events: number): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < events) {
      const body = textOf(next);
      next += 1;
      expected(await sandbox('POST', `/sandbox/phones/${WRITER}/messages`, { to: SHOP, body }), 201);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, write));
}

async function dieSoon(world: World, random: Random): Promise<void> {
  await pause(systemClock, Math.round(random() * LONGEST_LIFE_MS));
  await restart(world);
}

async function restart(world: World): Promise<void> {
  await world.gateway.kill();
  await world.start();
}

async function settled(receiver: Receiver, events: number, patienceMs: number): Promise<void> {
  for (let before = -1, now = acceptedBy(receiver); now > before && now < events; now = acceptedBy(receiver)) {
    before = now;
    await until(patienceMs, async () => acceptedBy(receiver) >= events);
  }
}

const textOf = (n: number): string => `message ${n}`;

const acceptedBy = ({ told }: Receiver): number => [...told.values()].filter(({ accepted }) => accepted > 0).length;

const refusedBy = (receiver: Receiver): number => receiver.told.size - acceptedBy(receiver);

function verdictOf(receiver: Receiver, events: number, kills: number): WebhookVerdict {
  const all = Array.from({ length: events }, (_, n) => receiver.told.get(textOf(n)));
  const count = (is: (one: (typeof all)[number]) => boolean): number => all.filter(is).length;
  return {
    events,
    kills,
    requests: all.reduce((sum, one) => sum + (one?.tries ?? 0), 0),
    lost: count((one) => !one?.accepted),
    renamed: count((one) => (one?.ids.size ?? 1) > 1),
    badlySigned: receiver.badlySigned,
    repeated: count((one) => (one?.accepted ?? 0) > 1),
    moods: receiver.moods,
  };
}
