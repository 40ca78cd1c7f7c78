import { at } from '../../../runtime/invariant.ts';
import { until } from '../../faults/processes.ts';
import { bareSender, gatewaySender } from './senders.ts';

/** Prints the CPU ms of a text, from sending it until its last read receipt has been acknowledged. */
const [side, extent] = process.argv.slice(2);
const size = extent === 'quick' ? { devices: 2, texts: 10, inGroup: 6, large: 4 } : { devices: 20, texts: 200, inGroup: 80, large: 49 };
const TEXT = 'The quick brown fox jumps over the lazy dog, and does so again and again. No. ';
const WARM_UP = 20;
const UNCOUNTED = 3;
const READ_WITHIN_MS = 120_000;

const phones = Array.from({ length: size.devices }, (_, nth) => String(6_281_100_000_001 + nth));
const customers = Array.from({ length: Math.max(size.devices, size.large) }, (_, nth) => String(6_281_200_000_001 + nth));
const first = { phone: at(phones, 0), customer: at(customers, 0) };
const sender = await (side === 'bare' ? bareSender(phones) : gatewaySender(phones));
const { peer } = sender;
let serial = 0;

interface Way {
  readonly atOnce: number;
  readonly texts: number;
  to(nth: number): { readonly place: number; readonly to: string };
  readonly readers?: number;
}

for (const [place, phone] of phones.entries()) await warmUp(place, phone, at(customers, place));
const alone = (atOnce: number): Way => ({ atOnce, texts: size.texts, to: () => ({ place: 0, to: first.customer }) });
const inGroup = (others: number): Way => {
  const { jid } = peer.group([first.phone, ...customers.slice(0, others)]);
  return { atOnce: 8, texts: size.inGroup, readers: others, to: () => ({ place: 0, to: jid }) };
};
const everybody = (nth: number) => ({ place: nth % phones.length, to: at(customers, nth % phones.length) });
const figures = {
  sequential: await cost(alone(1)),
  eight: await cost(alone(8)),
  everybody: await cost({ atOnce: size.devices, texts: size.texts, to: everybody }),
  pair: await cost(inGroup(1)),
  group: await cost(inGroup(size.large)),
};
console.log(JSON.stringify(figures));
await sender.close();
process.exit(0);

/** Until the contact replies, the library encrypts each text as the first message of a session. */
async function warmUp(place: number, phone: string, customer: string): Promise<void> {
  const way: Way = { atOnce: 8, texts: WARM_UP, to: () => ({ place, to: customer }) };
  await send(way);
  await peer.contact(customer).writes(phone, 'warm');
  await send(way);
}

/** The first batches are not counted, because the engine is still compiling the code. */
async function cost(way: Way): Promise<number> {
  for (let nth = 0; nth < UNCOUNTED; nth += 1) await send(way);
  const before = await sender.cpu();
  await send(way);
  return ((await sender.cpu()) - before) / way.texts;
}

async function send({ atOnce, texts, to, readers = 1 }: Way): Promise<void> {
  const read = (): number => peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'receipt', type: 'read' } }).length;
  const before = read();
  for (let sent = 0; sent < texts; sent += atOnce) {
    const some = Math.min(atOnce, texts - sent);
    await Promise.all(
      Array.from({ length: some }, (_, nth) => {
        serial += 1;
        const { place, to: address } = to(sent + nth);
        return sender.send(place, address, TEXT + serial);
      }),
    );
    if (atOnce === 1) await allRead(() => read() - before >= sent + 1);
  }
  await allRead(() => read() - before >= texts * readers);
  peer.journal.clear();
}

async function allRead(isSo: () => boolean): Promise<void> {
  if (!(await until(READ_WITHIN_MS, async () => isSo()))) throw new Error('not every text was read in time');
}
