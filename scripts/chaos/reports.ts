/** What a node of a chaos run tells its parent. Times are epoch ms. */
export type Report =
  | { readonly is: 'listening'; readonly url: string }
  /** Its own end of a login: from when it asked for it until it asked for its end, or learned of it (then perhaps twice). */
  | { readonly is: 'opened' | 'closed'; readonly line: number; readonly device: string; readonly at: number }
  | { readonly is: 'stalled'; readonly from: number; readonly until: number }
  /** An answer to `collect` (after collecting garbage) and `look`; bytes, and the CPU time used so far. */
  | { readonly is: 'weight'; readonly heap: number; readonly rss: number; readonly cpuUs: number }
  /** An answer to `sample`. */
  | ({ readonly is: 'sample' } & Sample);

/** What a process holds, after collecting garbage. */
export interface Sample {
  /** Bytes. */
  readonly heap: number;
  readonly rss: number;
  /** What keeps its event loop alive, but for timers: sockets, servers, requests. */
  readonly handles: number;
  /** The same by their kinds, as Node names them. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly timers: number;
  /** Open file descriptors. */
  readonly files: number;
  /** Of its event loop since the sample before; ms. */
  readonly lagP99: number;
  /** Processor time so far. */
  readonly cpuUs: number;
}
