/**
 * Commands for the victim. `begin` resets the measurement (`collect`: after a garbage collection), `end`
 * requests the result.
 */
export type Order = { readonly do: 'begin'; readonly collect: boolean } | { readonly do: 'end' };

/** Responses of the victim. `rss` is in bytes; `worstMs` is the CPU time of the longest tick, once the loop is idle. */
export type Measured = { readonly is: 'begun'; readonly rss: number } | { readonly is: 'ended'; readonly worstMs: number };
