import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { at } from '../../../runtime/invariant.ts';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import { until } from '../../faults/processes.ts';
import { baseline } from '../../faults/whatsapp/published.ts';
import { scratchDirectory } from '../scratch.ts';
import { BenchGateway } from './gateway.ts';

/** Memory in bytes, after garbage collection. `heap` includes external memory. */
export interface Weight {
  readonly heap: number;
  readonly rss: number;
}

export interface Side {
  link(phones: readonly string[]): Promise<void>;
  weigh(): Promise<Weight>;
  close(): Promise<void>;
}

const IDLE_MS = 10_000;
const ONLINE_WITHIN_MS = 60_000;
const MAX_CONCURRENT = 5;

export async function gatewaySide(): Promise<Side> {
  const world = await BenchGateway.open(scratchDirectory());
  // Starts at 1, because the operator's own sender is linked too.
  let linked = 1;
  const online = async (): Promise<void> => {
    const active = () => new Set(world.peer.journal.events('active').map(({ line }) => line)).size;
    if (!(await until(ONLINE_WITHIN_MS, async () => active() === linked))) throw new Error('the devices were not online in time');
  };
  return {
    async link(phones) {
      for (let at = 0; at < phones.length; at += MAX_CONCURRENT)
        await Promise.all(phones.slice(at, at + MAX_CONCURRENT).map((one) => world.link(one)));
      linked += phones.length;
      await online();
    },
    async weigh() {
      await world.kill();
      world.peer.journal.clear();
      await world.start();
      await online();
      await later(IDLE_MS);
      await world.collect();
      const bytes = await world.metrics();
      const heap = bytes('nodejs_heap_size_used_bytes') + bytes('nodejs_external_memory_bytes');
      return { heap, rss: bytes('process_resident_memory_bytes') };
    },
    close: () => world.close(),
  };
}

export async function bareSide(): Promise<Side> {
  const peer = await startPeer();
  const directory = mkdtempSync(join(tmpdir(), 'idle-'));
  const linked: string[] = [];
  return {
    async link(phones) {
      linked.push(...phones);
      await ended(await bareProcess(peer, directory, phones));
    },
    async weigh() {
      const child = await bareProcess(peer, directory, linked);
      await later(IDLE_MS);
      child.send('weigh');
      const messages: Weight[] = await once(child, 'message');
      const weight = at(messages, 0);
      await ended(child);
      return weight;
    },
    async close() {
      await peer.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function bareProcess(peer: Peer, directory: string, phones: readonly string[]): Promise<ChildProcess> {
  const bare = baseline();
  const child = fork(join(import.meta.dirname, 'idle-bare.ts'), [directory, ...phones], {
    execArgv: ['--expose-gc', ...bare.execArgv],
    env: { ...process.env, ...bare.env, WHATSAPP_URL: peer.url, WHATSAPP_ROOT_KEY: peer.rootKey },
  });
  const shown = new Set<string>();
  return new Promise((resolve) => {
    child.on('message', ({ phone, qr, online }: { phone?: string; qr?: string; online?: number }) => {
      if (online !== undefined) resolve(child);
      if (phone === undefined || qr === undefined || shown.has(phone)) return;
      shown.add(phone);
      void peer.phone(phone).scans(qr);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
