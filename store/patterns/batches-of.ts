const BATCH_CHARS = 2 ** 20;

/** Yields about a megabyte at a time, because a text of 64 KB may be six times as long in JSON. */
export async function* batchesOf<T>(rows: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  let chars = 0;
  for await (const row of rows) {
    batch.push(row);
    chars += JSON.stringify(row).length;
    if (chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
