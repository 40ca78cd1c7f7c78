import type { JournalEntry } from '../../actors/network/sandbox/protocol.ts';
import { systemClock } from '../../runtime/clock.ts';
import { expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import type { Timeline } from './timeline.ts';
import type { Ledger } from './traffic.ts';
import type { World } from './world.ts';

export interface StoredMessage {
  readonly _id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly body: string | null;
  readonly status: string;
  readonly trail?: readonly number[];
}

export interface StoredDevice {
  readonly _id: string;
  readonly status: string;
  readonly trail?: readonly number[];
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly journal: readonly JournalEntry[];
  readonly messages: readonly StoredMessage[];
  readonly devices: readonly StoredDevice[];
  readonly timeline: Pick<Timeline, 'spans' | 'excuses'>;
  readonly stranded: number;
  readonly settledMs: number | null;
}

export async function settled(world: World, ledger: Ledger, withinMs: number): Promise<number | null> {
  const since = systemClock.monotonic();
  const isWell = async (): Promise<boolean> => {
    const [online, underWay, inbound] = await Promise.all([
      world.db
        .collection('devices')
        .countDocuments({ phone_number: { $in: world.devices.map(({ phone }) => phone) }, status: 'connected' }),
      world.db.collection('messages').countDocuments({ status: { $in: ['queued', 'sending'] } }),
      world.db.collection('messages').countDocuments({ direction: 'inbound' }),
    ]);
    return online === world.devices.length && underWay === 0 && inbound >= ledger.written.length && (await allLoggedIn(world));
  };
  const found = await until(withinMs, async () => (await isWell()) || null);
  return found ? systemClock.monotonic() - since : null;
}

/** Reads the network's journal, because a device's row may say `connected` too early. */
async function allLoggedIn(world: World): Promise<boolean> {
  const online = new Set<string>();
  for (const { what, phone } of await wholeJournal(world)) {
    if (what === 'login') online.add(phone);
    else if (what === 'logout') online.delete(phone);
  }
  return world.devices.every(({ phone }) => online.has(phone));
}

export async function collect(world: World, ledger: Ledger, settledMs: number | null): Promise<Evidence> {
  world.timeline.finish(systemClock.now());
  const projection = { direction: 1, body: 1, status: 1, trail: 1 };
  const ours = { phone_number: { $in: world.devices.map(({ phone }) => phone) } };
  const [messages, devices] = await Promise.all([
    world.db.collection<StoredMessage>('messages').find({}, { projection }).toArray(),
    world.db
      .collection<StoredDevice>('devices')
      .find(ours, { projection: { status: 1, trail: 1 } })
      .toArray(),
  ]);
  // The journal is read last, because the network may know more than the store, but not less.
  return { ledger, messages, devices, timeline: world.timeline, stranded: world.stranded, settledMs, journal: await wholeJournal(world) };
}

const PAGE = 10_000;

export const wholeJournal = (world: Pick<World, 'sandbox'>): Promise<readonly JournalEntry[]> => journalSince(world, 0);

export async function journalSince({ sandbox }: Pick<World, 'sandbox'>, seq: number): Promise<readonly JournalEntry[]> {
  const journal: JournalEntry[] = [];
  for (;;) {
    const after = journal.at(-1)?.seq ?? seq;
    const { entries } = expected(await sandbox('GET', `/sandbox/journal?limit=${PAGE}&after=${after}`), 200);
    journal.push(...entries);
    if (entries.length < PAGE) return journal;
  }
}
