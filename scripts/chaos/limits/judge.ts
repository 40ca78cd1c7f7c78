export interface Pass {
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Limit {
  readonly max: number;
  readonly windowMs: number;
  /** Maximum drift in ms between the caller's and the limiter's clocks within a window. */
  readonly slackMs: number;
}

export function overfull(passes: readonly Pass[], { max, windowMs, slackMs }: Limit): number {
  const byAsked = passes.toSorted((a, b) => a.askedAt - b.askedAt);
  return byAsked.filter((first, i) => {
    const inside = byAsked.slice(i).filter(({ answeredAt }) => answeredAt < first.askedAt + windowMs - slackMs);
    return inside.length > max;
  }).length;
}

export function wronged(passes: readonly Pass[], refusals: readonly Pass[], { max, windowMs, slackMs }: Limit): number {
  return refusals.filter(({ askedAt, answeredAt }) => {
    const maybeInside = passes.filter((pass) => pass.answeredAt > askedAt - windowMs - slackMs && pass.askedAt < answeredAt);
    return maybeInside.length < max;
  }).length;
}
