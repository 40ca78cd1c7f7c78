import { bareCpu, gatewayCpu } from './cpu.ts';

/** `BATCH=200 node test/network/whatsapp/bench/main.ts`: ms of CPU a warm text, through the whole gateway and through the bare library. */
const batch = Number(process.env['BATCH'] ?? 200);
const shown = (results: readonly number[]): string => results.map((ms) => ms.toFixed(2)).join(' ');
const bare = await bareCpu(batch);
console.log(`bare ${shown(bare)}`);
const gateway = await gatewayCpu(batch);
console.log(`gateway ${shown(gateway)}`);
console.log(`ratio of medians ${(gateway[2]! / bare[2]!).toFixed(2)}`);
process.exit(0);
