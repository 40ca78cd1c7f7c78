export interface Pass {
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Limit {
  readonly max: number;
  readonly windowMs: number;
  /** Maximum drift between the clocks of the caller and the limiter within a window, in ms. */
  readonly slackMs: number;
}

/** Counts the windows that certainly held more calls than the limit. */
export function overfull(passes: readonly Pass[], { max, windowMs, slackMs }: Limit): number {
  const byAsked = passes.toSorted((a, b) => a.askedAt - b.askedAt);
  return byAsked.filter((first, i) => {
    const inside = byAsked.slice(i).filter(({ answeredAt }) => answeredAt < first.askedAt + windowMs - slackMs);
    return inside.length > max;
  }).length;
}

/** Counts the calls that were refused although the window certainly had capacity. */
export function wronged(passes: readonly Pass[], refusals: readonly Pass[], { max, windowMs, slackMs }: Limit): number {
  return refusals.filter(({ askedAt, answeredAt }) => {
    const maybeInside = passes.filter((pass) => pass.answeredAt > askedAt - windowMs - slackMs && pass.askedAt < answeredAt);
    return maybeInside.length < max;
  }).length;
}
