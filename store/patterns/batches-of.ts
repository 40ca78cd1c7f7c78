/** Characters of JSON of one batch: the row that reaches them is the last. */
const BATCH_CHARS = 2 ** 20;

/**
 * Rows in batches of about a megabyte, or of one row: what follows from a batch (copies, events, writes) is then bounded in bytes and
 * not only in rows, each of which may hold a text of 64 KB, six times as long as JSON.
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
