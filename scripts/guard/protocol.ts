/** What the guard orders its victim: to forget what it measured (`collect`: after a collection of garbage), and to say it. */
export type Order = { readonly do: 'begin'; readonly collect: boolean } | { readonly do: 'end' };

/** The answers. `rss` is in bytes; `worstMs` the CPU of the longest turn, once the loop is quiet. */
export type Measured = { readonly is: 'begun'; readonly rss: number } | { readonly is: 'ended'; readonly worstMs: number };
