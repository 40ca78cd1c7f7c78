/** One call, by its caller's clock: it was counted at some moment between the two. */
export interface Pass {
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Limit {
  readonly max: number;
  readonly windowMs: number;
  /** What the clocks of the caller and of who counts may differ by within a window. */
  readonly slackMs: number;
}

/** Windows that for certain held more calls than the limit. */
export function overfull(passes: readonly Pass[], { max, windowMs, slackMs }: Limit): number {
  const byAsked = passes.toSorted((a, b) => a.askedAt - b.askedAt);
  return byAsked.filter((first, i) => {
    const inside = byAsked.slice(i).filter(({ answeredAt }) => answeredAt < first.askedAt + windowMs - slackMs);
    return inside.length > max;
  }).length;
}

/** Calls that were refused though for certain the window had room. */
export function wronged(passes: readonly Pass[], refusals: readonly Pass[], { max, windowMs, slackMs }: Limit): number {
  return refusals.filter(({ askedAt, answeredAt }) => {
    const maybeInside = passes.filter((pass) => pass.answeredAt > askedAt - windowMs - slackMs && pass.askedAt < answeredAt);
    return maybeInside.length < max;
  }).length;
}
