import { systemClock } from '../../runtime/clock.ts';
import type { World } from '../chaos/world.ts';
import { expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import type { Receiver } from '../faults/webhook-receiver.ts';
import type { Ledger, Text } from './life.ts';

export interface Row {
  readonly _id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly body: string | null;
  readonly status: string;
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly rows: readonly Row[];
  readonly shown: readonly string[];
  readonly told: Receiver['told'];
  readonly violations: readonly string[];
  readonly offline: number;
  /** Time in ms from the end of the last fault until the system settled; null if it did not. */
  readonly settledMs: number | null;
  readonly left: string;
}

export const WATCHED = { inbound: 'message.received', outbound: 'message.sent' } as const;
const SENT = ['sent', 'delivered', 'read'];
const MAX_SHOWN = 500;

export async function settled(
  world: World,
  ledger: Ledger,
  receiver: Receiver,
  withinMs: number,
): Promise<Pick<Evidence, 'settledMs' | 'left'>> {
  const since = systemClock.monotonic();
  let left = '';
  const found = await until(withinMs, async () => {
    left = await whatIsLeft(world, ledger, receiver);
    return left === '' || null;
  });
  return { settledMs: found ? systemClock.monotonic() - since : null, left };
}

async function whatIsLeft(world: World, ledger: Ledger, receiver: Receiver): Promise<string> {
  const count = (collection: string, filter: object): Promise<number> => world.db.collection(collection).countDocuments(filter);
  const [offline, underWay, inbound, outbound, campaigns] = await Promise.all([
    offlineIn(world),
    count('messages', { status: { $in: ['queued', 'sending'] } }),
    count('messages', { direction: 'inbound' }),
    count('messages', { direction: 'outbound', status: { $in: SENT } }),
    count('campaigns', { status: 'running' }),
  ]);
  const untold = inbound + outbound - acceptedBy(receiver);
  const counts = { offline, underWay, unheard: Math.max(0, ledger.written.length - inbound), campaigns, untold: Math.max(0, untold) };
  return Object.entries(counts)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

const offlineIn = ({ db, devices }: World): Promise<number> =>
  db.collection<{ _id: string }>('devices').countDocuments({ _id: { $in: devices.map(({ id }) => id) }, status: { $ne: 'connected' } });

const acceptedBy = ({ told, forgotten }: Receiver): number => [...told.values()].filter(({ accepted }) => accepted > 0).length + forgotten;

export async function collect(
  world: World,
  ledger: Ledger,
  receiver: Receiver,
  rest: Pick<Evidence, 'settledMs' | 'left'>,
): Promise<Evidence> {
  const rows = await world.db
    .collection<Row>('messages')
    .find({}, { projection: { direction: 1, body: 1, status: 1 } })
    .toArray();
  return {
    ledger,
    rows,
    // Reads phones last, because they may show more than the log contains but must not show less.
    shown: await shownIn(world, [...ledger.sends, ...ledger.campaigns]),
    told: receiver.told,
    violations: (await world.peer?.ledger())?.violations ?? [],
    offline: await offlineIn(world),
    ...rest,
  };
}

async function shownIn({ peer, sandbox, devices }: World, texts: readonly Text[]): Promise<readonly string[]> {
  const ours = new Set(devices.map(({ phone }) => phone));
  const shown: string[] = [];
  for (const to of new Set(texts.filter((text) => text.isOnPeer).map((text) => text.to)))
    shown.push(...((await peer?.shows(to)) ?? []).filter(({ from }) => ours.has(from)).map(({ text }) => text));
  for (const to of new Set(texts.filter((text) => !text.isOnPeer).map((text) => text.to))) {
    const { messages } = expected(await sandbox('GET', `/sandbox/phones/${to}/messages?limit=${MAX_SHOWN}`), 200);
    shown.push(...messages.map(({ body }: { body: string }) => body));
  }
  return shown;
}
