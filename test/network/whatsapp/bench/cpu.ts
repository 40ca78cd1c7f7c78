import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type Call, callerOf } from '../../../../scripts/faults/caller.ts';
import { until } from '../../../../scripts/faults/processes.ts';
import { type Peer, startPeer } from '../../peer/peer.ts';
import { KillWorld, SHOP } from '../kill/world.ts';

const ANNA = '6281100000011';
const TEXT = 'The quick brown fox jumps over the lazy dog, and does so again and again. No. ';
const WARM_UP = 50;
const AT_ONCE = 10;

/** CPU of the sending process, in ms a message: medians of five batches of warm texts to one contact, until the last read receipt has been seen. */
export async function gatewayCpu(batch: number): Promise<readonly number[]> {
  const world = await KillWorld.open(null);
  try {
    const url = await world.gateway.url;
    const cpu = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1_000;
    };
    return await measured(
      { peer: world.peer, send: (body) => world.api('POST', `${world.path}/messages`, { chat_id: ANNA, type: 'text', body }), cpu },
      batch,
    );
  } finally {
    await world.close();
  }
}

export async function bareCpu(batch: number): Promise<readonly number[]> {
  const peer = await startPeer();
  const child = fork(join(import.meta.dirname, 'bare-child.ts'), {
    execArgv: [],
    env: { ...process.env, WHATSAPP_URL: peer.url, WHATSAPP_ROOT_KEY: peer.rootKey },
  });
  try {
    const url = await new Promise<string>((resolve) => {
      let isLinked = false;
      child.on('message', (said: { qr?: string; url?: string }) => {
        if (said.qr && !isLinked) {
          isLinked = true;
          void peer.phone(SHOP).scans(said.qr);
        }
        if (said.url) resolve(said.url);
      });
    });
    const call: Call = callerOf(url, {}, { keepAlive: false });
    const cpu = async (): Promise<number> => {
      const { user, system } = (await call('GET', '/')).body.cpu;
      return (user + system) / 1_000;
    };
    return await measured({ peer, send: (body) => call('POST', '/', { chat_id: ANNA, body }), cpu }, batch);
  } finally {
    child.kill('SIGKILL');
    await peer.stop();
  }
}

interface Sender {
  readonly peer: Peer;
  send(body: string): Promise<unknown>;
  cpu(): Promise<number>;
}

async function measured({ peer, send, cpu }: Sender, batch: number): Promise<readonly number[]> {
  let serial = 0;
  const read = (): number => peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'receipt', type: 'read' } }).length;
  const some = async (count: number): Promise<void> => {
    const before = read();
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => {
          serial += 1;
          return send(TEXT + serial);
        }),
      );
    }
    await until(60_000, async () => read() - before >= count);
    peer.journal.clear();
  };
  await some(WARM_UP);
  await peer.contact(ANNA).writes(SHOP, 'warm');
  await some(WARM_UP);
  const results: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = await cpu();
    await some(batch);
    results.push((await cpu()) - before);
  }
  return results.map((ms) => ms / batch).toSorted((a, b) => a - b);
}
