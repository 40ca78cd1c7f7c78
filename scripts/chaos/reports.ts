/** Reports from a node of a chaos run to its parent. Times are epoch ms. */
export type Report =
  | { readonly is: 'listening'; readonly url: string }
  /** A login as the node sees it: from its request until the node requests its end or learns of it. */
  | { readonly is: 'opened' | 'closed'; readonly line: number; readonly device: string; readonly at: number }
  | { readonly is: 'stalled'; readonly from: number; readonly until: number }
  /** Response to `collect` (after garbage collection) and `look`: bytes, and the CPU time used so far. */
  | { readonly is: 'weight'; readonly heap: number; readonly rss: number; readonly cpuUs: number }
  | ({ readonly is: 'sample' } & Sample);

export interface Sample {
  readonly heap: number;
  readonly rss: number;
  /** Handles that keep the event loop alive, except timers: sockets, servers, requests. */
  readonly handles: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly timers: number;
  readonly files: number;
  /** 99th percentile of the event-loop delay since the previous sample, in ms. */
  readonly lagP99: number;
  readonly cpuUs: number;
}
