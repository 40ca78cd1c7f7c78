import { expected } from '../faults/caller.ts';
import { ready, type World } from './world.ts';

export interface DemoDevice {
  readonly number: number;
  readonly id: string;
  readonly phone: string;
  readonly customer: string;
}

const OWNER = '6281100009999';

export async function moveIn(world: World, count: number): Promise<readonly DemoDevice[]> {
  await ready(
    'the platform can send codes',
    async () => expected(await world.call(0)('GET', '/v1/admin/sender'), 200).status === 'connected',
  );
  expected(await world.call(0)('POST', '/auth/register', { name: 'Toko Acme', phone: `+${OWNER}` }), 200);
  const { messages } = expected(await world.sandbox('GET', `/sandbox/phones/${OWNER}/messages`), 200);
  const code = /\d{6}/.exec(messages[0].body)?.[0];
  const { token } = expected(await world.call(1)('POST', '/auth/verify-otp', { phone: `+${OWNER}`, code }), 200);
  world.signedUp(token);
  expected(await world.call(2)('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
  return Promise.all(Array.from({ length: count }, (_, i) => link(world, i)));
}

async function link(world: World, at: number): Promise<DemoDevice> {
  const phone = String(6_281_300_000_000 + at);
  const { id } = expected(await world.call(at)('POST', '/v1/sessions', { name: `Shop ${at + 1}` }), 201);
  const path = `/v1/sessions/${id}`;
  expected(await world.call(at + 1)('POST', `${path}/connect`), 202);
  const qr = await ready('a code to scan', async () => expected(await world.call(at + 2)('GET', `${path}/qr`), 200, 409).qr);
  expected(await world.sandbox('POST', `/sandbox/phones/${phone}/scan`, { qr }), 200);
  await ready(`device ${at + 1} is online`, async () => expected(await world.call(at)('GET', path), 200).status === 'connected');
  return { number: at + 1, id, phone, customer: String(6_281_400_000_000 + at) };
}
