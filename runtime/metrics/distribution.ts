interface Bucket {
  readonly upTo: number;
  count: number;
}

export class Distribution {
  readonly buckets: readonly Bucket[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.buckets = [...bounds, Number.POSITIVE_INFINITY].map((upTo) => ({ upTo, count: 0 }));
  }

  get count(): number {
    return this.buckets.reduce((sum, { count }) => sum + count, 0);
  }

  /** Clock differences between machines can cause negative values, which count as zero. */
  observe(value: number): void {
    for (const bucket of this.buckets)
      if (value <= bucket.upTo) {
        bucket.count += 1;
        this.sum += Math.max(0, value);
        return;
      }
  }
}
