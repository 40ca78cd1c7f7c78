import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { newId } from '../../../runtime/ids.ts';
import { places } from './places.ts';

const [FLOODING, QUIET] = [newId(1), newId(2)];
/** More than all the sockets to a bucket. */
const FLOOD = 100;
/** Number of sockets that one tenant may use at a time. */
const SHARE = 8;

async function* text(it: string) {
  yield Buffer.from(it);
}

const bucket = places.find(({ name }) => name === 's3')!;

it('a bucket remains available to other tenants while one tenant does not read its open files', {
  timeout: 600_000,
}, async (t) => {
  const bytes = await bucket.fresh(t);
  const [theirs, ours] = [newId(3), newId(4)];
  await bytes.write(FLOODING, theirs, text('theirs'));
  await bytes.write(QUIET, ours, text('ours'));
  const opened: Readable[] = [];
  const refused: unknown[] = [];
  const stopReading = (): void => {
    for (const stream of opened) stream.destroy();
  };
  t.after(stopReading);
  const flood = Array.from({ length: FLOOD }, () =>
    bytes.read(FLOODING, theirs).then(
      (stream) => stream && opened.push(stream),
      (cause) => refused.push(cause),
    ),
  );
  // Each is asked behind the flood, and the last only once the others had their answers.
  assert.equal(await bytes.read(QUIET, newId(9)), null);
  for (let nth = 0; nth < 2 * SHARE; nth += 1) assert.equal(String(await buffer((await bytes.read(QUIET, ours))!)), 'ours');
  await bytes.write(QUIET, newId(5), text('new'));
  await bytes.write(FLOODING, newId(6), text('new'));
  await bytes.remove(QUIET, ours);
  assert.equal(opened.length, SHARE);
  assert.deepEqual([...new Set(refused.map((cause) => (cause as Error).name))], ['MediaUnavailable']);
  // Whoever reads to the end, or stops reading, makes room for those of the same tenant that wait.
  assert.equal(String(await buffer(opened.shift()!)), 'theirs');
  const ends = flood.map((one) => one.then(stopReading));
  stopReading();
  await Promise.all(ends);
  assert.equal(1 + opened.length + refused.length, FLOOD);
});
