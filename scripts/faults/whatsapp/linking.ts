import { at } from '../../../runtime/invariant.ts';
import { expected } from '../caller.ts';
import { until } from '../processes.ts';
import { CONTACTS, type KillWorld } from './world.ts';

export interface LinkEnd {
  readonly wasLinked: boolean;
  /** True if the device ends up unlinked, has lost a link that the phone had, or has two links. */
  readonly isLost: boolean;
  /** True if the device is linked and the log has a stranger's message, which needs one-time keys. */
  readonly works: boolean;
}

const WITHIN_MS = 30_000;
/** In these statuses, a new code is needed, because the phone may have refused an unconfirmed login. */
const STOPPED: ReadonlySet<string> = new Set(['pending', 'disconnected', 'failed']);
let serial = 0;

/** Kills the gateway while it is linking. The returned function links again and returns the result. */
export async function dieLinking(world: KillWorld, order: string): Promise<() => Promise<LinkEnd>> {
  serial += 1;
  const digits = `62815${10_000_000 + serial}`;
  const { id } = expected(await world.api('POST', '/v1/sessions', {}), 201);
  const path = `/v1/sessions/${id}`;
  world.gateway.arm(order);
  await link(world, path, digits);
  if (!(await until(WITHIN_MS, async () => !world.isAlive))) throw new Error(`the gateway never passed ${order}`);
  return () => endOf(world, path, digits);
}

async function link(world: KillWorld, path: string, digits: string): Promise<boolean> {
  const scanned = new Set<string>();
  await world.api('POST', `${path}/connect`).catch(() => null);
  const end = await until(WITHIN_MS, async () => {
    if (!world.isAlive) return 'gone';
    const { status } = (await world.api('GET', path).catch(() => null))?.body ?? {};
    if (status === 'connected') return status;
    const { qr } = (await world.api('GET', `${path}/qr`).catch(() => null))?.body ?? {};
    if (qr && !scanned.has(qr)) await scan(world, digits, qr, scanned);
    else if (STOPPED.has(status)) await world.api('POST', `${path}/connect`).catch(() => null);
    return null;
  });
  return end === 'connected';
}

/** Ignores a failed scan, because a dead gateway's code cannot be used. */
async function scan({ peer }: KillWorld, digits: string, qr: string, scanned: Set<string>): Promise<void> {
  scanned.add(qr);
  await peer
    .phone(digits)
    .scans(qr)
    .catch(() => {});
}

async function endOf(world: KillWorld, path: string, digits: string): Promise<LinkEnd> {
  const phone = world.peer.phone(digits);
  const before = phone.linked.map(({ jid }) => jid);
  const isLinked = await link(world, path, digits);
  const after = new Set(phone.linked.map(({ jid }) => jid));
  const body = `to ${digits}`;
  await world.peer.contact(at(CONTACTS, 0)).writes(digits, body);
  const found = isLinked && (await until(WITHIN_MS, async () => (await textsOf(world, path)).includes(body)));
  await world.api('DELETE', path);
  return { wasLinked: before.length > 0, isLost: !isLinked || before.some((jid) => !after.has(jid)) || after.size > 1, works: !!found };
}

async function textsOf({ api }: KillWorld, path: string): Promise<readonly string[]> {
  const { messages } = expected(await api('GET', `${path}/messages?direction=inbound&limit=50`), 200);
  return messages.map(({ body }: { body: string }) => body);
}
