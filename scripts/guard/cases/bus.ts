import { pause, systemClock } from '../../../runtime/clock.ts';
import { BusSeal } from '../../../runtime/cluster/bus-seal.ts';
import type { Random } from '../../../runtime/random.ts';
import type { RedisServer } from '../../servers/redis.ts';
import { HOSTILE_JSON } from '../inputs/json.ts';
import { mutated } from '../inputs/mutations.ts';
import { HOSTILE_TEXTS } from '../inputs/texts.ts';
import type { Case } from '../judge.ts';
import type { LyingRedis } from '../lying-redis.ts';
import { NODE_UNDER_TEST, SECRETS } from '../subject.ts';

export interface Bus {
  readonly redis: RedisServer;
  readonly relay: LyingRedis;
}

const PREFIX = 'gw:';
const SETTLED_MS = 20;
/** Time for two heartbeats and lease renewals, in which the node reads the values in Redis. */
const READ_MS = 2_000;
/** Long enough for a client that lost its connection to reconnect. */
const RECONNECTED_MS = 500;
const LONGEST_TEXT = 65_536;
const LEASE = `${PREFIX}lease:device/guard`;

export async function busCases(bus: Bus, mutations: number, random: Random): Promise<readonly Case[]> {
  const channels = await bus.redis.run((redis) => redis.pubsub('CHANNELS', `${PREFIX}*`));
  return [
    ...channels.map(String).flatMap((channel) => channelCases(bus, channel.slice(PREFIX.length), mutations, random)),
    ...valueCases(bus),
    ...lieCases(bus, mutations, random),
  ];
}

const nameOf = (channel: string): string => channel.replace(/\/.*/, '');

function channelCases(bus: Bus, channel: string, mutations: number, random: Random): readonly Case[] {
  const kind = nameOf(channel);
  const sealed = BODIES.flatMap(([title, body]) =>
    TYPES.map((type) => {
      const told = (): string => new BusSeal(SECRETS.jwt, systemClock).seal(channel, envelope(type, body()));
      return published(bus, { kinds: [`bus ${kind}`, `bus ${type}`], title: `bus ${kind}, ${type}: ${title}`, channel, told });
    }),
  );
  const junk = ['', '\0'.repeat(1_000_000), 's1.'.repeat(300_000), '.'.repeat(1_000_000)].map((text, nth) =>
    published(bus, { kinds: ['bus junk'], title: `bus ${kind}: junk ${nth}`, channel, told: () => text }),
  );
  return [...sealed, ...junk, mutatedCase(bus, channel, mutations, random)];
}

function mutatedCase(bus: Bus, channel: string, mutations: number, random: Random): Case {
  const kind = nameOf(channel);
  const valid = TYPES.map((type) => Buffer.from(envelope(type, JSON.stringify({ do: 'take', kind: 'device', id: 'x' }))));
  return {
    kinds: ['bus mutations'],
    title: `bus ${kind}: ${mutations} mutations`,
    bytes: 1_000_000,
    attack: async () => {
      const seal = new BusSeal(SECRETS.jwt, systemClock);
      await bus.redis.run(async (redis) => {
        for (let nth = 0; nth < mutations; nth += 1) {
          const text = mutated(valid[nth % valid.length] ?? Buffer.alloc(1), random).toString();
          const told = seal.seal(channel, text);
          await redis.publish(PREFIX + channel, nth % 2 === 0 ? told : mutated(Buffer.from(told), random).toString('latin1'));
        }
      });
    },
  };
}

interface Published {
  readonly kinds: readonly string[];
  readonly title: string;
  readonly channel: string;
  told(): string;
}

const published = ({ redis }: Bus, { kinds, title, channel, told }: Published): Case => ({
  kinds,
  title,
  bytes: 1_500_000,
  attack: () => redis.run((client) => client.publish(PREFIX + channel, told())),
  settleMs: SETTLED_MS,
});

/** JSON bodies are built only when sent, because together they are large. */
const BODIES: readonly (readonly [title: string, json: () => string])[] = [
  ...Object.entries(HOSTILE_JSON).map(([title, json]) => [title, () => json] as const),
  ...HOSTILE_TEXTS.flatMap(({ title, of }) => {
    const text = (): string => JSON.stringify(of(LONGEST_TEXT));
    const command = (): string => `{"do":"ask","kind":"device","id":${text()},"command":{"type":${text()}},"timeoutMs":1}`;
    return [[title, text] as const, [`${title}, as a command`, command] as const];
  }),
];

const TYPES = ['ask', 'tell', 'cast', 'answer', 'refusal', 'other'];

const envelope = (type: string, body: string): string =>
  `{"t":"${type}","n":1,"from":"${NODE_UNDER_TEST}","back":"to:x/y","code":"NOT_FOUND","details":${type === 'refusal' ? body : '{}'},"body":${body}}`;

function valueCases({ redis }: Bus): readonly Case[] {
  const written = (title: string, write: (client: Parameters<Parameters<RedisServer['run']>[0]>[0]) => Promise<unknown>): Case => ({
    kinds: ['redis value'],
    title: `redis: ${title}`,
    bytes: 1_000_000,
    attack: () => redis.run(write),
    settleMs: READ_MS,
    isSlow: true,
  });
  const member = (id: string, fields: object): string =>
    JSON.stringify({ id, boot: 'z', started_at: 9e15, heartbeat_at: 9e15, address: '', state: 'active', load: {}, ...fields });
  const sealedMember = (id: string, fields: object): string => {
    const sealed = new BusSeal(SECRETS.jwt, systemClock).seal(`node:${id}`, member(id, fields));
    return JSON.stringify({ ...JSON.parse(member(id, {})), sealed });
  };
  const standing = (title: string, value: (id: string) => string): Case =>
    written(title, async (client) => {
      const id = title.replaceAll(' ', '-');
      await client.sadd(`${PREFIX}nodes`, id);
      await client.set(`${PREFIX}node:${id}`, value(id), 'PX', READ_MS * 2);
    });
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, nth) => [nth, nth]));
  return [
    standing('a member that is no JSON', () => '['.repeat(1_000_000)),
    standing('a member without a seal', (id) => member(id, { load: 'x'.repeat(1_000_000) })),
    standing('a member with a wide load', (id) => sealedMember(id, { load: wide })),
    standing('a member whose address is long', (id) => sealedMember(id, { address: '\u0315\u0300'.repeat(200_000) })),
    standing('a member of another shape', (id) => sealedMember(id, { boot: 1, started_at: '1', state: {}, load: null })),
    written('a lease with a long holder', (client) => client.set(LEASE, 'x/'.repeat(500_000), 'PX', READ_MS)),
    written('10,000 ids of nodes', (client) => client.sadd(`${PREFIX}nodes`, ...Array.from({ length: 10_000 }, (_, nth) => `ghost${nth}`))),
    replayedMember(redis),
  ];
}

/** The restarted node must not conclude from the replayed entry that it has been replaced. */
function replayedMember(redis: RedisServer): Case {
  return {
    kinds: ['redis replay of a former start'],
    isSlow: true,
    title: 'redis: the sealed member of a former start, replayed under another key',
    bytes: 0,
    attack: async (ground) => {
      const former = await redis.run((client) => client.get(`${PREFIX}node:${NODE_UNDER_TEST}`));
      await ground.revive();
      await redis.run(async (client) => {
        await client.sadd(`${PREFIX}nodes`, 'evil');
        await client.set(`${PREFIX}node:evil`, former ?? '', 'PX', READ_MS * 2);
      });
      await pause(systemClock, READ_MS);
      await redis.run((client) => client.del(`${PREFIX}node:evil`));
    },
  };
}

const LIES: Readonly<Record<string, string>> = {
  'nil replies that nobody asked for': '$-1\r\n'.repeat(50),
  'a list of two thousand million replies': '*2147483647\r\n',
  'a text of half a gigabyte': '$536870912\r\n',
  'a reply without an end': `+${'x'.repeat(1_000_000)}`,
  'lists in lists': '*1\r\n'.repeat(100_000),
  'an error that nobody asked for': '-ERR no\r\n',
  'numbers that nobody asked for': ':1\r\n'.repeat(10_000),
  'a message on an unknown channel': '*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$1\r\ny\r\n',
  'no protocol at all': 'HTTP/1.1 200 OK\r\n\r\n',
};

function lieCases({ relay }: Bus, mutations: number, random: Random): readonly Case[] {
  const told = (title: string, say: () => Promise<void> | void): Case => ({
    kinds: ['lie of Redis'],
    title: `Redis says ${title}`,
    bytes: 1_000_000,
    attack: async () => {
      await say();
      await pause(systemClock, RECONNECTED_MS);
    },
  });
  const valid = Object.values(LIES).map((text) => Buffer.from(text.slice(0, 200)));
  return [
    ...Object.entries(LIES).map(([title, text]) => told(title, () => relay.say(Buffer.from(text)))),
    told(`${mutations} mutations`, async () => {
      for (let nth = 0; nth < mutations; nth += 1) {
        relay.say(mutated(valid[nth % valid.length] ?? Buffer.alloc(1), random));
        await pause(systemClock, 1);
      }
    }),
  ];
}
