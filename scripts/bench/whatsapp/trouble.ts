import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTrouble } from './trouble-run.ts';

/** Texts to people of whom one in ten has a faulty device, of each kind, beside as many to people without: `TEXTS=10000`. */
const TEXTS = Number(process.env['TEXTS'] ?? 10_000);

const directory = mkdtempSync(join(tmpdir(), 'trouble-'));
try {
  const [calm, rough] = [
    await runTrouble({ texts: TEXTS, isCalm: true, directory }),
    await runTrouble({ texts: TEXTS, isCalm: false, directory }),
  ];
  console.table({ calm, rough });
  console.log(`p99 of the others’ ack: ${(rough.othersP99Ms / calm.othersP99Ms).toFixed(2)} of a run without trouble`);
  process.exitCode = rough.lost + rough.doubled + rough.closings === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true });
}
