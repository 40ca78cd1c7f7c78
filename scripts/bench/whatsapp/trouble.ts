import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrouble } from './trouble-run.ts';

/** `EVERY_MS` is the interval between texts; 0 sends as fast as acks arrive. */
const TEXTS = Number(process.env['TEXTS'] ?? 10_000);
const EVERY_MS = Number(process.env['EVERY_MS'] ?? 20);
/** Number of texts before the sides swap, so that other load on the machine slows both equally. */
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
