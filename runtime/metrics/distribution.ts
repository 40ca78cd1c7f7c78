interface Bucket {
  readonly upTo: number;
  count: number;
}

/** How values are spread over buckets, each up to its bound and the last one without. To observe one costs a few comparisons. */
export class Distribution {
  readonly buckets: readonly Bucket[];
  sum = 0;

  /** `bounds`: ascending. */
  constructor(bounds: readonly number[]) {
    this.buckets = [...bounds, Number.POSITIVE_INFINITY].map((upTo) => ({ upTo, count: 0 }));
  }

  get count(): number {
    return this.buckets.reduce((sum, { count }) => sum + count, 0);
  }

  /** What is below zero (clocks of two machines) counts as zero. */
  observe(value: number): void {
    for (const bucket of this.buckets)
      if (value <= bucket.upTo) {
        bucket.count += 1;
        this.sum += Math.max(0, value);
        return;
      }
  }
}
