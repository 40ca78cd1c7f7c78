import { pause, systemClock } from '../../../runtime/clock.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import type { Store } from '../../../store/port.ts';
import { type Call, callerOf, expected } from '../../faults/caller.ts';
import { startSandboxProcess } from '../../faults/processes.ts';
import type { Config } from '../../wiring/config.ts';
import { type BenchNode, startBenchNode } from '../bench-node.ts';
import { anApiKey, aTenant } from '../planted.ts';

export interface LinkedNode extends BenchNode {
  readonly tenantId: string;
  readonly key: string;
  readonly api: Call;
  readonly networkUrl: string;
  online(from: number, to: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

export const FIRST_PHONE = 6_285_500_000_000;
const MAX_CONCURRENT = 50;
const POLL_MS = 20;

export async function startLinkedNode(changes: Partial<Config> = {}, planted?: Store): Promise<LinkedNode> {
  const network = await startSandboxProcess();
  const bench = await startBenchNode({ sandbox_url: network.url, ...changes }, planted);
  const { node, store } = bench;
  const devices = devicesIn(store);
  const { _id: tenantId } = await aTenant(store);
  const key = await anApiKey(store, tenantId);
  const api = callerOf(node.url, { authorization: `Bearer ${key}` });
  const ofNetwork = callerOf(network.url);

  async function link(digits: string): Promise<string> {
    const { id } = expected(await api('POST', '/v1/sessions', {}), 201);
    const { code } = expected(await api('POST', `/v1/sessions/${id}/pairing-code`, { phone: `+${digits}` }), 200);
    expected(await ofNetwork('POST', `/sandbox/phones/${digits}/scan`, { pairing_code: code }), 200, 204);
    while ((await devices.find(tenantId, id))?.status !== 'connected') await pause(systemClock, POLL_MS);
    return id;
  }

  return {
    ...bench,
    tenantId,
    key,
    api,
    networkUrl: network.url,
    async online(from, to) {
      const ids: string[] = [];
      for (let next = from; next < to; next += MAX_CONCURRENT) {
        const batch = Array.from({ length: Math.min(MAX_CONCURRENT, to - next) }, (_, nth) => link(String(FIRST_PHONE + next + nth)));
        ids.push(...(await Promise.all(batch)));
      }
      return ids;
    },
    end: async () => void (await network.kill()),
  };
}
