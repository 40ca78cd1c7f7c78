import { at } from '../../../runtime/invariant.ts';
import { until } from '../../faults/processes.ts';
import { scratchDirectory } from '../scratch.ts';
import { BenchGateway } from './gateway.ts';

/** The gateway must not keep messages in memory, so its heap must not grow by more than 5 %. */
const texts = process.argv[2] === 'quick' ? 500 : 10_000;
const WARM_UP = texts / 5;
const AT_ONCE = 50;
const ARRIVED_WITHIN_MS = 600_000;
const SHOP = '6281100000001';

const gateway = await BenchGateway.open(scratchDirectory());
const { peer } = gateway;
await gateway.link(SHOP);
const people = Array.from({ length: AT_ONCE }, (_, nth) => peer.contact(String(6_281_200_000_001 + nth)));

await arrive(WARM_UP);
const before = await figures();
await arrive(texts);
const after = await figures();
const growth = after.heapMb / before.heapMb;
console.log(JSON.stringify({ texts, beforeMb: before.heapMb, afterMb: after.heapMb, growth, cpuMs: (after.cpuMs - before.cpuMs) / texts }));
await gateway.close();
process.exit(0);

async function arrive(count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += AT_ONCE) {
    await Promise.all(people.map((person, which) => person.writes(SHOP, `Is shirt ${nth + which} still there?`)));
    const isTaken = () => at(peer.phone(SHOP).linked, 0).mailbox.waiting.length === 0;
    if (!(await until(ARRIVED_WITHIN_MS, async () => isTaken()))) throw new Error('the texts did not arrive in time');
  }
}

async function figures(): Promise<{ readonly heapMb: number; readonly cpuMs: number }> {
  // Collects twice, because finalizers run by the first collection release more objects.
  for (let times = 0; times < 2; times += 1) await gateway.collect();
  const metric = await gateway.metrics();
  return { heapMb: metric('nodejs_heap_size_used_bytes') / 2 ** 20, cpuMs: metric('process_cpu_seconds_total') * 1_000 };
}
