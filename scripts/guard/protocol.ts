/** Orders to the victim. `begin` resets the measurement (`collect`: after a collection), `end` requests the result. */
export type Order = { readonly do: 'begin'; readonly collect: boolean } | { readonly do: 'end' };

/** Answers of the victim. `rss` is in bytes; `worstMs` is the CPU time of the longest tick, once the loop is quiet. */
export type Measured = { readonly is: 'begun'; readonly rss: number } | { readonly is: 'ended'; readonly worstMs: number };
