import { pause, systemClock } from '../../runtime/clock.ts';
import { at as valueAt } from '../../runtime/invariant.ts';
import { type Call, expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import type { Device, World } from './world.ts';

const OWNER = '6281100009999';
/** Long, because on two busy processors a node may lose a lease and have to start again. */
const READY_WITHIN_MS = 300_000;
/** Each poll makes three requests, so polling more often would slow down the device. */
const LOOK_EVERY_MS = 200;
const MAX_CONCURRENT = 10;

export async function moveIn(world: World, count: number, owner = OWNER): Promise<void> {
  await ready('the sender', async () => expected(await patiently(world.api)('GET', '/v1/admin/sender'), 200).status === 'connected');
  const api = patiently(world.api);
  expected(await api('POST', '/auth/register', { name: 'Acme', phone: owner }), 200);
  const { messages } = expected(await world.sandbox('GET', `/sandbox/phones/${owner}/messages`), 200);
  const code = /\d{6}/.exec(messages[0].body)?.[0];
  const { token } = expected(await api('POST', '/auth/verify-otp', { phone: owner, code }), 200);
  world.signedUp(token);
  expected(await patiently(world.api)('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
  while (world.devices.length < count) {
    const next = world.devices.length;
    const phones = Array.from({ length: Math.min(MAX_CONCURRENT, count - next) }, (_, i) => String(6_281_300_000_000 + next + i));
    world.devices.push(...(await Promise.all(phones.map((phone, i) => link(world, phone, i)))));
  }
}

/** Calls a different node at each step to show that nodes are interchangeable. */
async function link(world: World, phone: string, at: number): Promise<Device> {
  const call = (step: number) => patiently(valueAt(world.gateways, (at + step) % world.gateways.length).call);
  const { id } = expected(await call(0)('POST', '/v1/sessions', {}), 201);
  const path = `/v1/sessions/${id}`;
  expected(await call(1)('POST', `${path}/connect`), 202);
  let scanned = '';
  let session: { readonly status?: string } = {};
  const isLinked = await until(READY_WITHIN_MS, async () => {
    session = expected(await call(0)('GET', path), 200);
    if (session.status === 'connected') return true;
    const { qr } = expected(await call(2)('GET', `${path}/qr`), 200, 409);
    if (qr && qr !== scanned && (await world.scan(id, phone, qr))) scanned = qr;
    if (!qr && session.status === 'disconnected') expected(await call(1)('POST', `${path}/connect`), 202, 409);
    await pause(systemClock, LOOK_EVERY_MS);
    return false;
  });
  if (!isLinked) throw new Error(`device ${phone} was not linked in time: ${JSON.stringify({ session, scanned })}`);
  return { id, phone };
}

/** Retries calls, because a node on a busy machine may lose a lease or briefly not respond. */
const patiently =
  (call: Call): Call =>
  async (...asked) => {
    let last: unknown = null;
    const answer = await until(READY_WITHIN_MS, async () => {
      const answered = await call(...asked).catch((cause: unknown) => {
        last = cause;
        return null;
      });
      return answered === null || answered.status >= 500 ? null : answered;
    });
    if (!answer) throw new Error('no response in time', { cause: last });
    return answer;
  };

async function ready<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
  const found = await until(READY_WITHIN_MS, check);
  if (!found) throw new Error(`${what} was not ready in time`);
  return found;
}
