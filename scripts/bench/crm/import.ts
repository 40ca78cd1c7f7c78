import { Readable } from 'node:stream';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { startBenchNode } from '../bench-node.ts';
import { anApiKey, aTenant } from '../planted.ts';
import { watched } from './loop-watch.ts';
import { csvOf } from './rows.ts';

/** A file sent to a running gateway, until its last row is in. */
const count = Number(process.argv[2]);
const POLL_MS = 50;

const { node, store } = await startBenchNode();
const tenant = await aTenant(store);
const authorization = `Bearer ${await anApiKey(store, tenant._id)}`;
// The thread and all code are warm before the measuring begins.
await imported(2_000);

const figures = await watched(count, () => imported(count));
console.log(JSON.stringify(figures));
process.exit(0);

async function imported(rows: number): Promise<void> {
  const body = Readable.toWeb(Readable.from(csvOf(rows), { objectMode: false })) as ReadableStream;
  const headers = { authorization, 'content-type': 'text/csv' };
  const sent = await fetch(`${node.url}/v1/contacts/import`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  const { id } = (await sent.json()) as { id: string };
  for (;;) {
    const answer = await fetch(`${node.url}/v1/contacts/imports/${id}`, { headers: { authorization } });
    const { status, total, invalid } = (await answer.json()) as { status: string; total: number; invalid: number };
    if (status === 'failed' || invalid > 0) throw new Error(`the import is ${status}, ${invalid} rows are wrong`);
    if (status === 'done' && total === rows) return;
    await pause(systemClock, POLL_MS);
  }
}
