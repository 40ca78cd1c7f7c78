export async function* merged<T>(
  lists: readonly AsyncIterable<T>[],
  compare: (one: T, other: T) => number,
  limit: number,
): AsyncGenerator<T, void, void> {
  const iterators = lists.map((list) => list[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((one) => one.next()));
    for (let given = 0; given < limit; given += 1) {
      const [first] = heads
        .flatMap(({ done, value }, nth) => (done ? [] : [{ value, nth }]))
        .toSorted((one, other) => compare(one.value, other.value));
      if (!first) return;
      yield first.value;
      const next = await iterators[first.nth]?.next();
      if (next) heads[first.nth] = next;
    }
  } finally {
    await Promise.all(iterators.map((one) => one.return?.()));
  }
}
