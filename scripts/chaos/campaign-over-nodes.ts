import { at } from '../../runtime/invariant.ts';
import { expected } from '../faults/caller.ts';
import { moveIn } from './customer.ts';
import type { World } from './world.ts';

export interface Campaign {
  readonly path: string;
  readonly device: string;
  readonly phone: string;
}

const LISTED_BATCH_SIZE = 10_000;
const PACE = { min_delay_ms: 0, max_delay_ms: 0, typing: false };

export async function begin(world: World, count: number): Promise<Campaign> {
  await moveIn(world, 1);
  expected(await world.api('PUT', '/v1/settings', { pacing: PACE, send_window: { enabled: false } }), 200);
  const { id: device, phone } = at(world.devices, 0);
  const draft = { session_id: device, name: 'Chaos', message_type: 'text', body: 'Hello {var1}' };
  const { id } = expected(await world.api('POST', '/v1/blasts', draft), 201);
  for (let from = 0; from < count; from += LISTED_BATCH_SIZE) {
    const recipients = Array.from({ length: Math.min(LISTED_BATCH_SIZE, count - from) }, (_, nth) => ({
      phone: `+${phoneOf(from + nth)}`,
    }));
    expected(await world.api('POST', `/v1/blasts/${id}/recipients`, { recipients }), 200);
  }
  expected(await world.api('POST', `/v1/blasts/${id}/start`, {}), 200);
  return { path: `/v1/blasts/${id}`, device, phone };
}

export const phoneOf = (nth: number): number => 6_281_400_000_000 + nth;

interface Shown {
  readonly status: string;
  readonly sent_count: number;
  readonly failed_count: number;
  readonly total_recipients: number;
}

export async function look(world: World, { path }: Campaign): Promise<Shown> {
  return expected(await world.api('GET', path), 200);
}

export const hasEnded = ({ status }: Shown): boolean => status !== 'running' && status !== 'paused';
