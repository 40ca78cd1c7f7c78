interface Bucket {
  readonly upTo: number;
  count: number;
}

/** A histogram. Each bucket has an upper bound, except the last one. */
export class Distribution {
  readonly buckets: readonly Bucket[];
  sum = 0;

  /** `bounds` must be ascending. */
  constructor(bounds: readonly number[]) {
    this.buckets = [...bounds, Number.POSITIVE_INFINITY].map((upTo) => ({ upTo, count: 0 }));
  }

  get count(): number {
    return this.buckets.reduce((sum, { count }) => sum + count, 0);
  }

  /** Negative values (from clock differences between machines) count as zero. */
  observe(value: number): void {
    for (const bucket of this.buckets)
      if (value <= bucket.upTo) {
        bucket.count += 1;
        this.sum += Math.max(0, value);
        return;
      }
  }
}
