import { pause, systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { until } from '../../faults/processes.ts';
import { scratchDirectory } from '../scratch.ts';
import { BenchGateway } from '../whatsapp/gateway.ts';

/** `DEVICES=100,1000,3000` sets the steps. Memory per device compares the last step with the first. */
const steps = process.env['DEVICES']?.split(',').map(Number) ?? (process.argv[2] === 'quick' ? [1, 3] : [100, 1_000, 3_000]);
const MAX_CONCURRENT = 5;
const ONLINE_WITHIN_MS = 600_000;
const TALKED_WITHIN_MS = 600_000;
const SETTLES_MS = process.argv[2] === 'quick' ? 500 : 10_000;

interface Weight {
  readonly heap: number;
  readonly rss: number;
}

const numberOf = (nth: number): string => `62811${2_000_000 + nth}`;
const customerOf = (nth: number): string => `62812${2_000_000 + nth}`;

const gateway = await BenchGateway.open(scratchDirectory());
const { peer } = gateway;
const paths: string[] = [];
const weights: Weight[] = [];
for (const step of steps) {
  await linkTo(step);
  weights.push(await weigh());
  process.stderr.write(`${step} devices: ${JSON.stringify(at(weights, -1))}\n`);
}
const [few, many] = [at(steps, 0), at(steps, -1)];
const [before, after] = [at(weights, 0), at(weights, -1)];
const kb = (key: keyof Weight): number => (after[key] - before[key]) / 1_024 / (many - few);
const told = await talk();
const afterwards = await settled();
const talkKb = (afterwards.heap - after.heap) / 1_024 / many;
const memory = { heapKb: kb('heap'), rssKb: kb('rss'), rssMb: after.rss / 2 ** 20, talkKb, talkedRssMb: afterwards.rss / 2 ** 20 };
console.log(JSON.stringify({ devices: many, ...memory, ...told }));
await gateway.close();
process.exit(0);

async function linkTo(count: number): Promise<void> {
  while (paths.length < count) {
    const some = Array.from({ length: Math.min(MAX_CONCURRENT, count - paths.length) }, (_, nth) => numberOf(paths.length + nth));
    paths.push(...(await Promise.all(some.map((phone) => gateway.link(phone)))));
    // Clears the journal, because it holds every uploaded key and the peer would spend most of its
    // time collecting garbage.
    peer.journal.clear();
  }
}

async function weigh(): Promise<Weight> {
  await gateway.kill();
  peer.journal.clear();
  await gateway.start();
  // The count is one higher than the number of linked devices, because the operator's own sender is
  // active too.
  const active = (): number => new Set(peer.journal.events('active').map(({ line }) => line)).size;
  if (!(await until(ONLINE_WITHIN_MS, async () => active() > paths.length)))
    throw new Error(`only ${active()} devices were online in time`);
  return settled();
}

async function settled(): Promise<Weight> {
  await pause(systemClock, SETTLES_MS);
  await gateway.collect();
  const bytes = await gateway.metrics();
  const heap = bytes('nodejs_heap_size_used_bytes') + bytes('nodejs_external_memory_bytes');
  return { heap, rss: bytes('process_resident_memory_bytes') };
}

async function talk(): Promise<{ readonly rate: number; readonly cpuMs: number; readonly talked: number }> {
  peer.journal.clear();
  const cpu = async (): Promise<number> => (await gateway.metrics())('process_cpu_seconds_total') * 1_000;
  const [cpuBefore, began] = [await cpu(), systemClock.monotonic()];
  const acked = (attrs: Readonly<Record<string, string>>): number => peer.journal.stanzas({ way: 'up', tag: 'ack', attrs }).length;
  const received = (): number => peer.journal.stanzas({ way: 'up', tag: 'receipt' }).length;
  const isOver = async (): Promise<boolean> => acked({ class: 'receipt', type: 'read' }) >= paths.length && received() >= paths.length;
  for (let from = 0; from < paths.length; from += MAX_CONCURRENT)
    await Promise.all(
      paths.slice(from, from + MAX_CONCURRENT).map(async (path, nth) => {
        await gateway.api('POST', `${path}/messages`, { chat_id: customerOf(from + nth), type: 'text', body: 'Are you open?' });
        await peer.contact(customerOf(from + nth)).writes(numberOf(from + nth), 'Yes');
      }),
    );
  await until(TALKED_WITHIN_MS, isOver);
  const talked = Math.min(acked({ class: 'receipt', type: 'read' }), received());
  return { talked, rate: (talked * 1_000) / (systemClock.monotonic() - began), cpuMs: ((await cpu()) - cpuBefore) / talked };
}
