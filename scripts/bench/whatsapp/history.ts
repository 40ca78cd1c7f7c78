import { pause, systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { expected } from '../../faults/caller.ts';
import { until } from '../../faults/processes.ts';
import { scratchDirectory } from '../scratch.ts';
import { BenchGateway } from './gateway.ts';

const messages = process.argv[2] === 'quick' ? 2_000 : 20_000;
const CHATS = 100;
const STORED_WITHIN_MS = 600_000;
const SHOP = '6281100000001';
const LONG_AGO = Date.now() - 90 * 86_400_000;

process.env['WHATSAPP_HISTORY'] = '1000';
const gateway = await BenchGateway.open(scratchDirectory());
const phone = gateway.peer.phone(SHOP);
const lines = Array.from({ length: messages / CHATS }, (_, nth) => ({
  ...{ text: `Is shirt ${nth} still there? I would like two of them`, isOurs: nth % 3 === 0, at: LONG_AGO + nth * 60_000 },
}));
for (let nth = 0; nth < CHATS; nth += 1) phone.remembers(String(6_281_200_000_001 + nth), lines);

const before = await cpuMs();
const path = await gateway.link(SHOP);
if (!(await until(STORED_WITHIN_MS, isStored))) throw new Error('the history was not stored in time');
const cpuSeconds = ((await settledCpuMs()) - before) / 1_000;
console.log(JSON.stringify({ messages: await stored(), cpuSeconds }));
await gateway.close();
process.exit(0);

async function cpuMs(): Promise<number> {
  return (await gateway.metrics())('process_cpu_seconds_total') * 1_000;
}

async function settledCpuMs(): Promise<number> {
  for (let last = await cpuMs(); ; ) {
    await pause(systemClock, 2_000);
    const now = await cpuMs();
    if (now - last < 100) return now;
    last = now;
  }
}

async function stored(): Promise<number> {
  let count = 0;
  for (let more = ''; ; ) {
    const page = expected(await gateway.api('GET', `${path}/messages?limit=200${more}`), 200);
    count += page.messages.length;
    if (page.next_before === null) return count;
    more = `&before=${page.next_before}&before_id=${page.next_before_id}`;
  }
}

/** Polls rarely, because answering uses CPU time that is being measured. */
async function isStored(): Promise<boolean> {
  await pause(systemClock, 1_000);
  if (at(phone.linked, 0).mailbox.waiting.length > 0) return false;
  const { chats } = expected(await gateway.api('GET', `${path}/chats?limit=200`), 200);
  return chats.length >= CHATS;
}
