import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrouble } from './trouble-run.ts';

/**
 * `TEXTS=10000`: sends texts to people with faulty devices (one in ten for each kind of fault), and as
 * many to people without, alternating in one run. `EVERY_MS=20` is the interval; 0: as fast as they are
 * acked, so that every ack includes the cost of the faults.
 */
const TEXTS = Number(process.env['TEXTS'] ?? 10_000);
const EVERY_MS = Number(process.env['EVERY_MS'] ?? 20);
/** Texts per alternation. Other load on the machine therefore slows both sides equally. */
const TURN = 250;

const directory = mkdtempSync(join(tmpdir(), 'trouble-'));
try {
  const [calm, rough] = [await openTrouble({ isCalm: true, directory }), await openTrouble({ isCalm: false, directory })];
  for (let sent = 0; sent < TEXTS; sent += TURN) for (const side of [calm, rough]) await side.send(Math.min(TURN, TEXTS - sent), EVERY_MS);
  const found = { calm: await calm.figures(), rough: await rough.figures() };
  console.table(found);
  console.log(`p99 of the others’ ack: ${(found.rough.othersP99Ms / found.calm.othersP99Ms).toFixed(2)} of people without trouble`);
  process.exitCode = found.rough.lost + found.rough.doubled + found.rough.closings === 0 ? 0 : 1;
  for (const side of [calm, rough]) await side.close();
} finally {
  rmSync(directory, { recursive: true });
}
