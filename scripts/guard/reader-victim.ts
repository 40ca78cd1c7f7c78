import { at } from '../../runtime/invariant.ts';
import { seededRandom } from '../../runtime/random.ts';
import { mutated } from './inputs/mutations.ts';
import type { Reader } from './media-readers.ts';
import { readers } from './readers.ts';
import { threadCpuMs } from './turn-meter.ts';

const TRIES = 3;
const SHOWN_BYTES = 2_000;

/** `input` is the slowest input, in hex. */
export interface ReadReport {
  readonly reader: string;
  readonly state: 'begins' | 'done';
  readonly worstMs: number;
  readonly input: string;
}

export async function main(keepCompiled: () => void): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const [mutations, seed] = [Number(process.env['MUTATIONS']), Number(process.env['SEED'])];
  for (const [name, reader] of Object.entries(await readers())) {
    globalThis.gc?.();
    await tell({ reader: name, state: 'begins', worstMs: 0, input: '' });
    await tell({ reader: name, state: 'done', ...(await tried(reader, mutations, seed)) });
  }
  keepCompiled();
  process.exit(0);
}

async function tried(reader: Reader, mutations: number, seed: number): Promise<Pick<ReadReport, 'worstMs' | 'input'>> {
  const random = seededRandom(seed);
  let worst = { worstMs: 0, input: '' };
  // Warms up, because the first reads also load and compile code.
  for (const valid of reader.valid) await cost(reader, valid);
  for (let nth = 0; nth < mutations; nth += 1) {
    const bytes = mutated(at(reader.valid, nth % reader.valid.length), random);
    let worstMs = await cost(reader, bytes);
    for (let tries = 1; tries < TRIES && worstMs > worst.worstMs; tries += 1) worstMs = Math.min(worstMs, await cost(reader, bytes));
    if (worstMs > worst.worstMs) worst = { worstMs, input: bytes.subarray(0, SHOWN_BYTES).toString('hex') };
  }
  return worst;
}

async function cost(reader: Reader, bytes: Buffer): Promise<number> {
  const before = threadCpuMs();
  try {
    // Passes a copy, because a reader may change its input.
    await reader.read(Buffer.from(bytes));
  } catch {
    // The reader may refuse the input.
  }
  return threadCpuMs() - before;
}

const tell = (report: ReadReport): Promise<void> => new Promise((resolve) => void process.send?.(report, () => resolve()));
