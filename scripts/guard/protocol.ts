export type Order = { readonly do: 'begin'; readonly collect: boolean } | { readonly do: 'end' };

/** `rss` is in bytes. `worstMs`, sent once the loop is idle, is the CPU time of the longest tick. */
export type Measured = { readonly is: 'begun'; readonly rss: number } | { readonly is: 'ended'; readonly worstMs: number };
