export const BODY = { type: 'deliver', id: 'dev_01K0BENCH0000000000000000', text: 'x'.repeat(240) };

const IN_FLIGHT = 50;

export async function measureAsks(ask: () => Promise<unknown>): Promise<void> {
  const isQuick = process.argv[2] === 'quick';
  const [serial, crowd] = isQuick ? [500, 2_000] : [10_000, 100_000];
  await oneAtATime(ask, serial / 5);
  const took = await oneAtATime(ask, serial);
  await together(ask, crowd / 5);
  const rate = await together(ask, crowd);
  console.log(JSON.stringify({ p50Us: took[took.length >> 1], p99Us: took[Math.floor(took.length * 0.99)], rate }));
}

/** Returns the latencies in µs, ascending. */
async function oneAtATime(ask: () => Promise<unknown>, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const startedAt = process.hrtime.bigint();
    await ask();
    took.push(Number(process.hrtime.bigint() - startedAt) / 1e3);
  }
  return took.sort((a, b) => a - b);
}

async function together(ask: () => Promise<unknown>, count: number): Promise<number> {
  let left = count;
  const asker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await ask();
    }
  };
  const startedAt = process.hrtime.bigint();
  await Promise.all(Array.from({ length: IN_FLIGHT }, asker));
  return count / (Number(process.hrtime.bigint() - startedAt) / 1e9);
}
