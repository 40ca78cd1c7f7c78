const TOGETHER = 5_000;

export async function inBatches<T>(
  count: number,
  make: (nth: number) => T,
  write: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += TOGETHER)
    await write(Array.from({ length: Math.min(TOGETHER, count - from) }, (_, nth) => make(from + nth)));
}
