/** Characters of JSON in one batch; the row that reaches this number is the last. */
const BATCH_CHARS = 2 ** 20;

/**
 * Batches of about a megabyte, so that the work that follows is bounded in bytes, not only in rows:
 * a row may hold a text of 64 KB, six times as long as JSON.
 */
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
