import { bareSide, gatewaySide, type Side, type Weight } from './idle-sides.ts';

/** Devices are linked by one process, and measured in another one, in which they only log in. */
const few = Number(process.env['FEW'] ?? 50);
const many = Number(process.env['MANY'] ?? 150);
const phones = Array.from({ length: many }, (_, nth) => `62811${2_000_000 + nth}`);

async function perDevice(side: Side): Promise<Weight> {
  try {
    await side.link(phones.slice(0, few));
    const before = await side.weigh();
    await side.link(phones.slice(few));
    const after = await side.weigh();
    return { heap: (after.heap - before.heap) / (many - few), rss: (after.rss - before.rss) / (many - few) };
  } finally {
    await side.close();
  }
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;
const shown = (name: string, { heap, rss }: Weight): void => console.log(`${name}: ${kilobytes(heap)} of heap, ${kilobytes(rss)} of rss`);

const bare = await perDevice(await bareSide());
shown('an idle device of the bare library', bare);
const gateway = await perDevice(await gatewaySide());
shown('an idle device of the gateway', gateway);
shown('beyond bare', { heap: gateway.heap - bare.heap, rss: gateway.rss - bare.rss });
process.exit(0);
