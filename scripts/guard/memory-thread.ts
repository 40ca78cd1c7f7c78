import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const EVERY_MS = 10;
const { pid, figures }: { readonly pid: number; readonly figures: Int32Array } = workerData;

while (Atomics.load(figures, 2) === 0) {
  const kb = residentKb();
  if (kb === null) break;
  Atomics.store(figures, 0, kb);
  if (kb > Atomics.load(figures, 1)) Atomics.store(figures, 1, kb);
  Atomics.wait(figures, 3, 0, EVERY_MS);
}

function residentKb(): number | null {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return null;
  }
}
