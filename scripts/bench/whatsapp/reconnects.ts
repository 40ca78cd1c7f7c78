import { at } from '../../../runtime/invariant.ts';
import '../../../test/network-peer/silent-logger.ts';
import type { CredentialStore, Credentials } from '../../../actors/network/port.ts';
import { cpuMs, Device, heap, linkTo, openSharedDeps, type Setup } from './device.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000011';
const BATCH = 200;

/** Usage: `TIMES=200 node --expose-gc scripts/bench/whatsapp/reconnects.ts` */
async function main(): Promise<void> {
  const times = Number(process.env['TIMES'] ?? 200);
  const setup = await openSharedDeps();
  const credentialStore = setup.credentialStore(SHOP);
  const credentials = await linkTo(setup, SHOP, credentialStore);
  const first = await online(setup, credentialStore, credentials);
  await send(first, 50);
  await setup.peer.write(ANNA, SHOP, 'warm');
  await send(first, 50);
  const [cpuBefore, heapBefore] = [await costOf(first), heap()];
  let device = first;
  for (let time = 0; time < times; time += 1) {
    device.connection.close();
    await device.receives('closed');
    device = await online(setup, credentialStore, credentials);
    await send(device, 1);
  }
  const [cpuAfter, heapAfter] = [await costOf(device), heap()];
  console.log(`CPU a message: ${cpuBefore.toFixed(2)} ms, after ${times} reconnects ${cpuAfter.toFixed(2)} ms`);
  console.log(`heap: ${(heapBefore / 1e6).toFixed(1)} MB, after ${(heapAfter / 1e6).toFixed(1)} MB`);
  process.exit(0);
}

async function online(setup: Setup, credentialStore: CredentialStore, credentials: Credentials): Promise<Device> {
  const device = new Device(setup, SHOP, credentialStore, credentials);
  await device.receives('opened');
  return device;
}

let serial = 0;

async function send(device: Device, messages: number): Promise<void> {
  const before = device.count('receipt');
  for (let sent = 0; sent < messages; sent += 1) {
    serial += 1;
    const content = { type: 'text', body: `The quick brown fox jumps over the lazy dog, again and again: ${serial}` } as const;
    device.connection.send({ netId: `3EB0${serial}`, to: `${ANNA}@s.whatsapp.net`, content, quotes: null });
  }
  await device.receives('receipt', before + 2 * messages);
}

async function costOf(device: Device): Promise<number> {
  const results: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = cpuMs();
    await send(device, BATCH);
    results.push((cpuMs() - before) / BATCH);
  }
  return at(
    results.toSorted((a, b) => a - b),
    2,
  );
}

await main();
