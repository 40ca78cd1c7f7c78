import type { BlastMessages } from '../../store/blast-messages.ts';
import type { Recipients } from '../../store/blast-recipients.ts';
import type { BlastRow, Blasts } from '../../store/blasts.ts';
import type { TenantRow, Tenants } from '../../store/tenants.ts';
import { isOut, outcomeOf } from './outcomes.ts';
import type { Survey, WindowNow } from './protocol.ts';
import type { Route, Routes } from './routes.ts';
import { windowNow } from './window.ts';

export interface LookPorts {
  readonly blasts: Blasts;
  readonly recipients: Recipients;
  readonly blastMessages: BlastMessages;
  readonly tenants: Tenants;
  readonly routes: Routes;
}

export interface LookOrder {
  readonly count: boolean;
  readonly compare: boolean;
  readonly upTo: number;
}

const WIDE_OPEN: WindowNow = { open: null, opensAt: null, closesAt: null, isOverrun: false };

const AT_REST = { ahead: 0, hasPending: false, trouble: null, isStranded: false, stuck: null, isReady: false, window: WIDE_OPEN } as const;

/** What stands where, as the store says now; null: the campaign or its tenant is gone. `now` is epoch ms. */
export async function lookAround(
  ports: LookPorts,
  tenantId: string,
  blastId: string,
  order: LookOrder,
  now: number,
): Promise<Survey | null> {
  const [row, tenant] = await Promise.all([ports.blasts.find(tenantId, blastId), ports.tenants.find(tenantId)]);
  if (!row || !tenant) return null;
  if (order.compare) await compare(ports, row, order.upTo);
  const counts = order.count ? await ports.recipients.counts(blastId) : null;
  if (row.status !== 'running') return { row, ...AT_REST, counts };
  const [ahead, hasPending, route, window] = await Promise.all([
    ports.recipients.countQueued(blastId, order.upTo),
    ports.recipients.hasPending(blastId, null),
    ports.routes.of(row, now),
    windowOf(ports, row, tenant, order.upTo, now),
  ]);
  const left = await leftBehind(ports, row, route, order.upTo);
  return { row, ahead, hasPending, trouble: route.trouble, ...left, isReady: route.ready.length > 0, window, counts };
}

/** What waits or is on its way on devices with a trouble of their own, while others have none. */
async function leftBehind(
  ports: LookPorts,
  { _id }: BlastRow,
  { trouble, troubled }: Route,
  upTo: number,
): Promise<Pick<Survey, 'isStranded' | 'stuck'>> {
  const out = trouble === null && troubled.size > 0 ? await ports.recipients.queued(_id, upTo) : [];
  const left = out.filter(({ session_id }) => troubled.has(session_id ?? ''));
  const isStranded = await isAnyInLane(ports, left);
  const isAll = left.length > 0 && left.length === out.length && !isStranded;
  return { isStranded, stuck: isAll ? (troubled.get(left[0]?.session_id ?? '') ?? null) : null };
}

/** Hints may be lost and lanes emptied by others: recipients whose message waits are compared with those messages. */
async function compare({ recipients, blastMessages }: LookPorts, { _id: blastId }: BlastRow, limit: number): Promise<void> {
  const waiting = await recipients.queued(blastId, limit);
  if (waiting.length === 0) return;
  const messages = await blastMessages.find(waiting.map(({ _id }) => _id));
  const there = new Set(messages.map(({ _id }) => _id));
  await recipients.cameOut(messages.map(outcomeOf).filter(isOut));
  // Killed between marking it and storing its message.
  await recipients.takenBack(waiting.filter(({ _id }) => !there.has(_id)).map(({ _id }) => _id));
}

async function windowOf(ports: LookPorts, row: BlastRow, tenant: TenantRow, upTo: number, now: number): Promise<WindowNow> {
  const window = windowNow(tenant, row.zones, now);
  if (window === null) return WIDE_OPEN;
  if (window.closed.length === 0) return { ...WIDE_OPEN, closesAt: window.closesAt };
  const { recipients } = ports;
  const late = (await recipients.queued(row._id, upTo)).filter(({ zone }) => window.isClosed(zone));
  const isOverrun = await isAnyInLane(ports, late);
  const open = await withPending(recipients, row._id, window.open);
  const shut = open.length > 0 ? null : await withPending(recipients, row._id, window.closed);
  const opensAt = window.opensAt(shut ?? window.closed);
  return { open, opensAt, closesAt: window.closesAt, isOverrun };
}

/** Is there one among them whose message has not left its lane? What is on its way cannot be taken back. */
async function isAnyInLane({ blastMessages }: LookPorts, some: readonly { readonly _id: string }[]): Promise<boolean> {
  if (some.length === 0) return false;
  return (await blastMessages.find(some.map(({ _id }) => _id))).some(({ status }) => status === 'queued');
}

async function withPending(recipients: Recipients, blastId: string, zones: readonly string[]): Promise<readonly string[]> {
  const has = await Promise.all(zones.map((zone) => recipients.hasPending(blastId, zone)));
  return zones.filter((_zone, nth) => has[nth]);
}
