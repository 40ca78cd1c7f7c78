import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowFacts } from '../../http/core/engine.ts';
import { type Random, seededRandom } from '../../runtime/random.ts';
import { isOneOf } from '../../runtime/shapes.ts';
import { RedisServer } from '../servers/redis.ts';
import { type Bus, busCases } from './cases/bus.ts';
import { descriptorCase, fillLists, fillLog, pageCases, streamCases } from './cases/connections.ts';
import { endpointCases } from './cases/endpoints.ts';
import { fileCases } from './cases/files.ts';
import { inboundCases } from './cases/inbound.ts';
import { outsideCases } from './cases/outside.ts';
import { wireCases } from './cases/wire.ts';
import { aGround, type Ground } from './ground.ts';
import { type Case, type Figure, type JudgeOptions, judge, MAX_TURN_MS, oneOfEachKind, type Verdict } from './judge.ts';
import { LyingRedis } from './lying-redis.ts';
import { PeerNetwork } from './peer-network.ts';
import { servedRows } from './rows.ts';
import { tryReaders } from './try-readers.ts';

/** Each of PARTS attacks one surface. New endpoints and kinds of events are included automatically. */
export interface GuardRun {
  readonly mongodbUrl: string | null;
  readonly size: 'short' | 'whole';
  readonly seed: number;
  readonly parts?: readonly PartName[];
  /** Runs only every n-th case of each part. */
  readonly oneOf?: number;
  readonly hasRedis: boolean;
  readonly only?: string;
  readonly onPart?: (part: PartName, verdict: Verdict) => void;
  readonly onFigure?: (figure: Figure) => void;
  readonly afterwards?: (ground: Ground) => Promise<void>;
}

export const PARTS = ['readers', 'wire', 'inbound', 'streams', 'bus', 'outside', 'files', 'pages', 'endpoints', 'descriptors'] as const;
export type PartName = (typeof PARTS)[number];

const ALONE = ['readers', 'wire', 'descriptors'] as const;

/**
 * Parts that share a node run in the order of PARTS, because later parts may end what earlier parts
 * need.
 */
type OnGround = Exclude<PartName, (typeof ALONE)[number]>;

const MUTATIONS = { short: 100, whole: 10_000 } as const;
const FEW_DESCRIPTORS = 300;

export async function runGuard(run: GuardRun): Promise<ReadonlyMap<PartName, Verdict>> {
  const verdicts = new Map<PartName, Verdict>();
  const note = (part: PartName, verdict: Verdict): void => {
    verdicts.set(part, verdict);
    run.onPart?.(part, verdict);
  };
  const asked = (part: PartName): boolean => run.parts?.includes(part) ?? true;
  if (asked('readers')) note('readers', await tryReaders(MUTATIONS[run.size], run.seed));
  if (asked('wire')) note('wire', await onTheWire(run));
  const parts = PARTS.filter((part): part is OnGround => !isOneOf(ALONE, part) && asked(part));
  if (parts.length > 0) await onOneNode(run, parts, note);
  if (asked('descriptors')) note('descriptors', await withFewDescriptors(run));
  return verdicts;
}

async function onOneNode(run: GuardRun, parts: readonly OnGround[], note: (part: PartName, verdict: Verdict) => void): Promise<void> {
  await using ending = new AsyncDisposableStack();
  const bus = run.hasRedis ? await aBus(ending) : null;
  const ground = await aGround({ mongodbUrl: run.mongodbUrl, redisUrl: bus?.relay.url ?? null });
  ending.defer(() => ground.close());
  const means: Means = { ground, bus, random: seededRandom(run.seed), rows: await servedRows() };
  for (const part of parts) {
    const cases = chosen(await casesOf(part, run, means), run);
    note(part, await judge(ground, cases, judgeOptions(run)));
  }
  await run.afterwards?.(ground);
}

function* chosen(cases: Iterable<Case>, { size, only = '', oneOf = 1 }: GuardRun): Generator<Case> {
  let nth = 0;
  for (const one of size === 'short' ? oneOfEachKind(cases) : cases) {
    if (!one.title.includes(only)) continue;
    if (nth % oneOf === 0) yield one;
    nth += 1;
  }
}

interface Means {
  readonly ground: Ground;
  readonly bus: Bus | null;
  readonly random: Random;
  readonly rows: readonly RowFacts[];
}

async function casesOf(part: OnGround, { size }: GuardRun, { ground, bus, random, rows }: Means): Promise<Iterable<Case>> {
  switch (part) {
    case 'inbound':
      return inboundCases();
    case 'streams':
      return streamCases();
    case 'bus':
      return bus ? busCases(bus, MUTATIONS[size], random) : [];
    case 'outside':
      return outsideCases(ground.subject.server);
    case 'files':
      return fileCases(rows, ground.known);
    case 'pages':
      await fillLog(ground);
      await fillLists(ground);
      return pageCases(rows, ground.known);
    case 'endpoints':
      return endpointCases(rows, ground.known, size === 'short' ? random : null);
  }
}

const judgeOptions = ({ size, onFigure }: GuardRun): JudgeOptions => ({
  ...(size === 'short' && { suspectMs: MAX_TURN_MS }),
  ...(onFigure && { onSuspect: onFigure }),
});

async function onTheWire(run: GuardRun): Promise<Verdict> {
  await using ending = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'guard-wire-'));
  ending.defer(() => rmSync(directory, { recursive: true, force: true }));
  const network = await PeerNetwork.start(join(directory, 'media.pem'));
  const ground = await aGround({ mongodbUrl: run.mongodbUrl, beside: network });
  ending.defer(() => ground.close());
  const cases = wireCases(network, MUTATIONS[run.size], seededRandom(run.seed));
  return await judge(ground, chosen(cases, run), judgeOptions(run));
}

async function withFewDescriptors(run: GuardRun): Promise<Verdict> {
  const ground = await aGround({ mongodbUrl: run.mongodbUrl, descriptors: FEW_DESCRIPTORS });
  try {
    return await judge(ground, [descriptorCase()], judgeOptions(run));
  } finally {
    await ground.close();
  }
}

async function aBus(ending: AsyncDisposableStack): Promise<Bus> {
  const redis = await RedisServer.start();
  ending.defer(() => redis.remove());
  // Makes Redis look as if it had been used for a long time, so that it grants leases immediately.
  await redis.settle();
  const relay = await LyingRedis.before(redis.port);
  ending.defer(() => relay.close());
  return { redis, relay };
}
