import { Readable } from 'node:stream';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { startBenchNode } from '../bench-node.ts';
import { anApiKey, aTenant } from '../planted.ts';
import { liveWatched, turnsWatched, watched } from './loop-watch.ts';
import { csvOf } from './rows.ts';

const [, , rowCount, measure] = process.argv;
const count = Number(rowCount);
const POLL_MS = 50;

const { node, store } = await startBenchNode();
const tenant = await aTenant(store);
const authorization = `Bearer ${await anApiKey(store, tenant._id)}`;
await imported(2_000);

console.log(JSON.stringify(await measured(() => imported(count))));
process.exit(0);

function measured(work: () => Promise<void>): Promise<object> {
  if (measure === 'turns') return turnsWatched(work);
  return measure === 'live' ? liveWatched(work) : watched(count, work);
}

async function imported(rows: number): Promise<void> {
  const body = Readable.from(csvOf(rows), { objectMode: false });
  const headers = { authorization, 'content-type': 'text/csv' };
  const sent = await fetch(`${node.url}/v1/contacts/import`, { method: 'POST', headers, body, duplex: 'half' });
  const { id }: { id: string } = JSON.parse(await sent.text());
  for (;;) {
    const answer = await fetch(`${node.url}/v1/contacts/imports/${id}`, { headers: { authorization } });
    const { status, total, invalid }: { status: string; total: number; invalid: number } = JSON.parse(await answer.text());
    if (status === 'failed' || invalid > 0) throw new Error(`the import is ${status}, ${invalid} rows are wrong`);
    if (status === 'done' && total === rows) return;
    await pause(systemClock, POLL_MS);
  }
}
