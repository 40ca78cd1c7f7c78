/** A message from a node to its parent process. Times are epoch ms. */
export type Report =
  | { readonly is: 'listening'; readonly url: string }
  /** A login lasts from the node's request until the node ends it or learns that it has ended. */
  | { readonly is: 'opened' | 'closed'; readonly line: number; readonly device: string; readonly at: number }
  | { readonly is: 'stalled'; readonly from: number; readonly until: number }
  /** Response to `collect`, which collects garbage first, and to `look`. Sizes are in bytes. */
  | { readonly is: 'weight'; readonly heap: number; readonly rss: number; readonly cpuUs: number }
  | ({ readonly is: 'sample' } & Sample);

export interface Sample {
  readonly heap: number;
  readonly rss: number;
  /**
   * Sockets, servers, requests and other handles that keep the event loop alive, not counting
   * timers.
   */
  readonly handles: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly timers: number;
  readonly files: number;
  /** 99th percentile of the event-loop delay since the previous sample, in ms. */
  readonly lagP99: number;
  readonly cpuUs: number;
}
