import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../runtime/clock.ts';
import { seededRandom } from '../../runtime/random.ts';
import { type Arrived, aJetStream, aKafkaMock, aMosquitto, aRabbit, aRedisStream, type Broker } from '../support/brokers.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { held } from '../support/held.ts';
import { missing } from '../support/missing.ts';
import { aDirectory, embedded } from '../support/stores.ts';

/**
 * The run of the night has 10,000 events and 50 kills of each side. Another one lasts an hour
 * (`SINK_MINUTES`), at the rate of a busy day.
 */
const EVENTS = Number(process.env['SINK_EVENTS'] ?? 36);
const KILLS = Number(process.env['SINK_KILLS'] ?? 1);
const ROUND_MS = (Number(process.env['SINK_MINUTES'] ?? 0) * 60_000) / (KILLS + 1);
const PEOPLE = [ANNA, '6281211110002', '6281211110003', '6281211110004'];
const MOST_OF_PAGE = 200;
const STEP_MS = 500;
/** Connections that a pull opens and closes meanwhile. */
const SPARE_DESCRIPTORS = 10;
const GATEWAY = fileURLToPath(new URL('../../scripts/commands/gateway.js', import.meta.url));

interface Kind {
  readonly name: string;
  readonly program: string;
  readonly format: 'webhook' | 'cloudevents';
  /** How many copies one kill may cause. */
  readonly copiesOfKill: number;
  readonly options?: readonly string[];
  /** A broker that takes long to start is not killed in a run for each change. */
  readonly isSlow?: boolean;
  make(): Promise<Broker>;
}

const ALL: readonly Kind[] = [
  {
    name: 'Redis',
    program: 'redis-server',
    format: 'webhook',
    copiesOfKill: 0,
    options: ['--events', 'message.received', '--reader', 'shop'],
    make: aRedisStream,
  },
  { name: 'NATS JetStream', program: 'nats-server', format: 'cloudevents', copiesOfKill: 0, make: aJetStream },
  { name: 'RabbitMQ', program: 'rabbitmq-server', format: 'webhook', copiesOfKill: MOST_OF_PAGE, isSlow: true, make: aRabbit },
  { name: 'MQTT', program: 'mosquitto', format: 'cloudevents', copiesOfKill: MOST_OF_PAGE, make: aMosquitto },
  { name: 'Kafka', program: 'kcat', format: 'cloudevents', copiesOfKill: MOST_OF_PAGE, make: aKafkaMock },
];

/** `SINK_BROKERS=Redis,Kafka` runs only these. */
const named = process.env['SINK_BROKERS']?.split(',');
const KINDS = ALL.filter(({ name }) => named?.includes(name) ?? true);

/** `gateway listen` as a process, which is killed and started again. */
class Listener {
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #state: string;
  #child: ChildProcess | null = null;
  /** Whether the process has delivered a page, or tried to. */
  hasTried = false;

  constructor(broker: Broker, { format, options = [] }: Kind, state: string, env: NodeJS.ProcessEnv) {
    this.#state = state;
    this.#args = ['listen', '--to', broker.url, '--state', state, '--format', format, ...options];
    this.#env = env;
  }

  /** Resolves when it says that it delivers. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [GATEWAY, ...this.#args], { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const said: string[] = [];
    this.hasTried = false;
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line);
        this.hasTried ||= line.includes('→');
        if (line.startsWith('Each event goes to')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`the listener ended with ${code}: ${said.join('\n')}`)));
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Files beside the position and its lock, which a killed process left. */
  get leftovers(): readonly string[] {
    return readdirSync(dirname(this.#state)).filter((name) => !/\.json(\.lock)?$/.test(name));
  }

  get after(): string | null {
    return JSON.parse(readFileSync(this.#state, 'utf8')).after;
  }
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly chat_id: string; readonly body: string };
}

async function world(t: TestContext) {
  const gateway = await aGateway(t, { kind: embedded });
  const tenant = await gateway.signUp();
  await tenant.linked(PHONE);
  const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'Brokers', scopes: ['read'] })).body;
  const log = async (): Promise<{ events: readonly Event[]; end: string }> => {
    const events: Event[] = [];
    for (let after = ''; ; ) {
      const { body } = await gateway.during(tenant.api('GET', `/v1/events/pull?limit=200${after && `&after=${after}`}`));
      events.push(...body.events);
      if (body.events.length === 0) return { events: events.filter(({ type }) => type === 'message.received'), end: after };
      after = body.next;
    }
  };
  return { gateway, tenant, env: { ...process.env, GATEWAY_URL: gateway.node.url, GATEWAY_KEY: key, TMPDIR: aDirectory(t) }, log };
}

/** Time of the gateway passes, and as much of real time as its listeners need. */
const passing = (gateway: Gateway, ms: number): Promise<void> => gateway.during(pause(systemClock, ms));

/** Both clocks go on at the same speed, because the gateway keeps events for a day only. */
async function untilTime(gateway: Gateway, end: number): Promise<void> {
  for (let left = end - systemClock.monotonic(); left > 0; left = end - systemClock.monotonic()) {
    await pause(systemClock, Math.min(left, STEP_MS));
    await gateway.clock.advance(STEP_MS);
  }
}

interface Line {
  readonly kind: Kind;
  readonly broker: Broker;
  readonly listener: Listener;
}

/** A broker of each kind that is installed, and a listener for it. */
async function linesOf(t: TestContext, env: NodeJS.ProcessEnv): Promise<readonly Line[]> {
  for (const { program } of KINDS) if (missing(program)) t.diagnostic(`left out: ${missing(program)}`);
  const directory = aDirectory(t);
  const starting = KINDS.filter(({ program }) => !missing(program)).map(async (kind) => {
    const broker = await kind.make();
    t.after(() => broker.end());
    const listener = new Listener(broker, kind, join(directory, `${kind.name}.json`), env);
    t.after(() => listener.kill());
    return { kind, broker, listener };
  });
  // Every broker that started is known, and ended, before a failure of another one counts.
  await Promise.allSettled(starting);
  const lines = await Promise.all(starting);
  await Promise.all(lines.map(({ listener }) => listener.start()));
  return lines;
}

/** Kills a listener, and its broker unless it takes long to start. */
async function kill({ kind, broker, listener }: Line, round: number): Promise<void> {
  await listener.kill();
  if (round === 0) await broker.admit?.();
  await Promise.all([listener.start(), kind.isSlow && KILLS < 10 ? null : broker.crash?.()]);
}

it(`every broker receives ${EVENTS} events even if each side crashes ${KILLS} times`, { timeout: 3 * 3_600_000 }, async (t) => {
  const { gateway, tenant, env, log } = await world(t);
  const random = seededRandom(Number(process.env['SEED'] ?? 1));
  const lines = await linesOf(t, env);
  const before = held();
  const began = systemClock.monotonic();
  for (let round = 0; round <= KILLS; round += 1) {
    const most = Math.ceil((EVENTS * (round + 1)) / (KILLS + 1));
    for (let nth = Math.ceil((EVENTS * round) / (KILLS + 1)); nth < most; nth += 1)
      gateway.sandbox.phone(PEOPLE[nth % PEOPLE.length] ?? ANNA).write({ to: PHONE, content: { type: 'text', body: String(nth) } });
    await untilTime(gateway, began + ROUND_MS * (round + 1));
    if (round === KILLS) break;
    // The listeners die between a page and its position, or at any moment.
    if (round % 2 === 0) while (!lines.every(({ listener }) => listener.hasTried)) await passing(gateway, 50);
    else await passing(gateway, random() * 1_500);
    await Promise.all(lines.map((line) => kill(line, round)));
  }
  await gateway.until('all are received', async () => (await log()).events.length >= EVENTS);
  const { events, end } = await log();
  const { event_readers } = (await tenant.api('GET', '/v1/usage')).body;
  if (!missing('redis-server') && KINDS.some(({ name }) => name === 'Redis'))
    assert.deepEqual(Object.entries(event_readers[0]).slice(0, 2), Object.entries({ name: 'shop', events: ['message.received'] }));
  for (const { listener } of lines) while (listener.after !== end) await pause(systemClock, 200);
  const after = held();
  assert.equal(after.zombies, 0);
  assert.ok(after.descriptors <= before.descriptors + SPARE_DESCRIPTORS, `${before.descriptors} descriptors, then ${after.descriptors}`);
  t.diagnostic(`descriptors: ${before.descriptors} before, ${after.descriptors} after`);

  for (const { kind, broker, listener } of lines)
    await t.test(`${kind.name}: delivers all events, and keeps the order in each chat`, async () => {
      await listener.kill();
      assert.deepEqual([...listener.leftovers, ...readdirSync(env.TMPDIR)], []);
      const arrived = (await broker.arrived()).filter(({ type }) => type.endsWith('message.received'));
      const firsts = [...new Map(arrived.toReversed().map((one) => [one.id, one])).values()].toReversed();
      const order = (of: string): string[] => firsts.filter((one) => dataOf(one, kind).chat_id === of).map(({ id }) => id);
      for (const [chat, sent] of Map.groupBy(events, ({ data }) => data.chat_id))
        assert.deepEqual(
          order(chat),
          sent.map(({ id }) => id),
        );
      const copies = arrived.length - events.length;
      assert.ok(copies <= KILLS * kind.copiesOfKill, `${copies} copies`);
      t.diagnostic(`${kind.name}: ${events.length} events, ${copies} copies`);
      isComplete(
        firsts[0],
        events.find(({ id }) => id === firsts[0]?.id),
        kind,
      );
    });
});

const dataOf = ({ body }: Arrived, { format }: Kind): Event['data'] => (format === 'webhook' ? JSON.parse(body).data : JSON.parse(body));

/** A message has the body of a webhook, or that of a CloudEvent with its attributes as headers. */
function isComplete(arrived: Arrived | undefined, event: Event | undefined, { name, format }: Kind): void {
  assert.ok(arrived && event);
  if (format === 'webhook') return assert.deepEqual(JSON.parse(arrived.body), event);
  const prefix = { 'NATS JetStream': 'ce-', Kafka: 'ce_' }[name] ?? '';
  const found = ['specversion', 'id', 'type', 'source', 'subject'].map((attribute) => arrived.headers[`${prefix}${attribute}`]);
  const { id, type, session_id } = { session_id: '', ...event };
  assert.deepEqual(found, ['1.0', id, `gw.${type}`, `/v1/sessions/${session_id}`, event.data.chat_id]);
  assert.deepEqual(JSON.parse(arrived.body), event.data);
}
