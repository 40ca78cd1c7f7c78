import type { Moment, NodeSample } from './samples.ts';

/** How far the last third of a figure may exceed its middle third. */
export interface Bound {
  readonly part: number;
  /** Additional increase that is allowed, in the unit of the figure. */
  readonly slack: number;
}

export type Held = 'heap' | 'rss' | 'handles' | 'timers' | 'files';

const MB = 1024 * 1024;

/** Bounds for a long run, in which a node has warmed up well before the last third. */
export const BOUNDS: Readonly<Record<Held | 'redisKeys', Bound>> = {
  heap: { part: 0.05, slack: 4 * MB },
  rss: { part: 0.1, slack: 16 * MB },
  handles: { part: 0.1, slack: 4 },
  timers: { part: 0.1, slack: 8 },
  files: { part: 0.1, slack: 4 },
  redisKeys: { part: 0.1, slack: 20 },
};

export const HELD: readonly Held[] = ['heap', 'rss', 'handles', 'timers', 'files'];

export interface Series {
  readonly what: Held | 'redisKeys';
  /** A node and the number of its start, such as `n1#1`, or `redis`. */
  readonly of: string;
  readonly samples: number;
  readonly thirds: readonly [number, number, number];
  readonly perHour: number;
  readonly isFlat: boolean;
}

export const FEWEST = 9;

export function seriesOf(moments: readonly Moment[], bounds = BOUNDS): readonly Series[] {
  const lives = Map.groupBy(
    moments.flatMap(({ at, nodes }) => nodes.map((node) => ({ at, node }))),
    ({ node }) => node.name,
  );
  const long = [...lives].filter(([, own]) => own.length >= FEWEST && spanOf(own) >= spanOf(moments) / 2);
  const held = (own: readonly { at: number; node: NodeSample }[], what: Held) => own.map(({ at, node }) => ({ at, value: node[what] }));
  const keys = moments.flatMap(({ at, redisKeys }) => (redisKeys === null ? [] : [{ at, value: redisKeys }]));
  return [
    ...long.flatMap(([of, own]) => HELD.map((what) => series(what, of, held(own, what), bounds[what]))),
    ...(keys.length >= FEWEST ? [series('redisKeys', 'redis', keys, bounds.redisKeys)] : []),
  ];
}

interface Point {
  readonly at: number;
  readonly value: number;
}

function series(what: Series['what'], of: string, points: readonly Point[], { part, slack }: Bound): Series {
  const third = Math.floor(points.length / 3);
  const parts = [points.slice(0, third), points.slice(third, -third), points.slice(-third)] as const;
  const [first, middle, last] = parts.map((own) => median(own.map(({ value }) => value)));
  const hours = (median(parts[2].map(({ at }) => at)) - median(parts[1].map(({ at }) => at))) / 3_600_000;
  const thirds = [first ?? 0, middle ?? 0, last ?? 0] as const;
  return {
    what,
    of,
    samples: points.length,
    thirds,
    perHour: (thirds[2] - thirds[1]) / hours,
    isFlat: thirds[2] <= thirds[1] * (1 + part) + slack,
  };
}

const spanOf = (own: readonly { readonly at: number }[]): number => (own.at(-1)?.at ?? 0) - (own[0]?.at ?? 0);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
