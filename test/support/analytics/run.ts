import { Temporal } from '@js-temporal/polyfill';
import { markBuckets } from '../../../actors/services/analytics/outbox-handler.ts';
import { createRecount } from '../../../actors/services/analytics/recount.ts';
import { createReports, type DayFigures } from '../../../actors/services/analytics/report.ts';
import type { OutboxHandler } from '../../../actors/services/messaging/outbox-processor.ts';
import { newId } from '../../../runtime/ids.ts';
import { oneOf, type Random, seededRandom } from '../../../runtime/random.ts';
import { type BucketFigures, type BucketRow, bucketAt } from '../../../store/analytics/bucket-row.ts';
import { bucketsIn } from '../../../store/analytics/buckets.ts';
import { countedMessagesIn } from '../../../store/analytics/counted-messages.ts';
import { type MessageRow, type Messages, messagesIn, messagesSpec } from '../../../store/messaging/messages.ts';
import type { Collection, Store } from '../../../store/port.ts';
import { carryOut } from '../carry-out.ts';
import { aMessageRow } from '../message-row.ts';
import { mortalStore } from '../mortal-store.ts';

/**
 * Zones with half-hour and 45-minute offsets and a half-hour summer time, in which days last 23, 23.5, 24.5 or 25
 * hours.
 */
const HARD_ZONES = ['Asia/Kathmandu', 'Pacific/Chatham', 'Australia/Lord_Howe', 'America/St_Johns'] as const;

/**
 * Starts of four-day periods around the clock changes in Chatham and Lord Howe: the end of summer time, and its
 * beginning.
 */
const CHANGES = [Date.UTC(2026, 3, 3), Date.UTC(2026, 9, 2)] as const;
const SPAN_MS = 4 * 86_400_000;
const OWNER = { tenantId: 't', sessionId: 's', epoch: 1 };
const PEOPLE = Array.from({ length: 12 }, (_, nth) => `62812111100${String(nth).padStart(2, '0')}@s.whatsapp.net`);

/** Virtual time, which continues after a process dies. `step`: approximate time between two actions. */
interface Time {
  now: number;
  readonly step: number;
}

/** Approximate number of actions per life. */
const TURNS_A_LIFE = 7;

/**
 * A run in which `deaths` processes die, each at a random write. `counting: 'increments'` is a control run that
 * increments counters when a message changes.
 */
export interface DriftRun {
  readonly store: Store;
  readonly deaths: number;
  readonly seed: number;
  readonly counting: 'recounts' | 'increments';
}

export interface DriftVerdict {
  readonly deaths: number;
  readonly messages: number;
  /** Figures that differ from the log, as sentences. */
  readonly wrong: readonly string[];
}

/**
 * Simulates a device whose process dies repeatedly while it works. Then compares every figure with the log, counted
 * with another library's calendar.
 */
export async function runDrift({ store, deaths, seed, counting }: DriftRun): Promise<DriftVerdict> {
  const random = seededRandom(seed);
  const begin = oneOf(CHANGES, random);
  const log = store.collection<MessageRow>(messagesSpec);
  const [truth, own] = [messagesIn(store), bucketsIn(store)];
  await store.prepare();
  const time: Time = { now: begin, step: SPAN_MS / deaths / TURNS_A_LIFE };
  let died = 0;
  while (died < deaths) {
    const at = { write: 1 + Math.floor(random() * 40), isMade: random() < 0.5 };
    const mortal = mortalStore(store, at);
    await live(mortal.store, counting, random, time).catch((cause: unknown) => {
      if (!mortal.isDead()) throw cause;
    });
    if (mortal.isDead()) died += 1;
  }
  // The next process finishes the remaining work.
  await settle(truth, stepOf(store, counting));
  await recountOf(store).continueAll(Number.MAX_SAFE_INTEGER - 60_000);
  const rows = await log.find({}).toArray();
  const wrong: string[] = [];
  for (const zone of HARD_ZONES) wrong.push(...(await differences(own, rows, zone, time.now)));
  return { deaths: died, messages: rows.length, wrong };
}

const recountOf = (store: Store) =>
  createRecount({
    buckets: bucketsIn(store),
    countedMessages: countedMessagesIn(store),
    clock: { now: () => 0 },
    chatKey: (_tenant, chat) => chat,
  });

/** Runs one process, which handles messages and their consequences and counts buckets. It ends only by dying. */
async function live(store: Store, counting: DriftRun['counting'], random: Random, time: Time): Promise<void> {
  const messages = messagesIn(store);
  const step = stepOf(store, counting);
  const recount = recountOf(store);
  for (let turn = 0; turn < 60; turn += 1) {
    time.now += 1 + Math.floor(random() * 2 * time.step);
    const { now } = time;
    await act(messages, random, now);
    if (random() < 0.6) await settle(messages, step);
    if (random() < 0.4) await recount.continueAll(now);
  }
}

async function act(messages: Messages, random: Random, now: number): Promise<void> {
  const _id = newId(now);
  const chat_id = oneOf(PEOPLE, random);
  if (random() < 0.3) {
    const inbound = { direction: 'inbound', status: 'delivered', outbox_pending: true, chat_id } as const;
    await messages.receive(aMessageRow({ _id, created_at: now, ...inbound }));
    return;
  }
  if (random() < 0.5) {
    await messages.accept(aMessageRow({ _id, created_at: now, chat_id, written_by: 't' }));
    await messages.claim(OWNER, await Array.fromAsync(messages.waiting('t', 's', null, 1)), now);
    if (random() < 0.9) await messages.mark(OWNER, [{ status: 'sent', ids: [_id], at: now }]);
    return;
  }
  const recent = await Array.fromAsync(messages.list('t', 's', { direction: 'outbound' }, { limit: 20, before: null, beforeId: null }));
  if (recent.length === 0) return;
  const row = oneOf(recent, random);
  const { net_id, status } = row;
  if (status === 'failed') await messages.requeue(row, '2026-01');
  else if (random() < 0.2) await messages.markFailed(OWNER, net_id, 'refused');
  else await messages.mark(OWNER, [{ status: oneOf(['delivered', 'read'] as const, random), netIds: [net_id], at: now }]);
}

async function settle(messages: Messages, step: OutboxHandler): Promise<void> {
  for (;;) {
    const rows = await Array.fromAsync(messages.withOutbox(OWNER, 100));
    if (rows.length === 0) return;
    await carryOut(step, rows);
    await messages.outboxProcessed(rows);
  }
}

function stepOf(store: Store, counting: DriftRun['counting']): OutboxHandler {
  return counting === 'recounts' ? markBuckets(bucketsIn(store), () => 0) : incrementing(store);
}

const NONE: BucketFigures = { sent: 0, received: 0, delivered: 0, read: 0, failed: 0, rows: 0, chats: [], first_replies: [], groups: [] };

/** The control: each change increments the figures of its bucket. */
function incrementing(store: Store): OutboxHandler {
  bucketsIn(store);
  const buckets: Collection<BucketRow> = store.collection<BucketRow>({ name: 'analytics_buckets', indexes: [] });
  return {
    name: 'increments',
    plan: (rows) => ({
      async alone() {
        for (const { status, direction, created_at } of rows) {
          const at = bucketAt(created_at);
          const field = direction === 'inbound' ? 'received' : status;
          const first = { tenant_id: 't', session_id: 's', at, mark: 0, counted: 0, counted_at: null, dirty_at: null, expires_at: at };
          await buckets.updateOne({ _id: `s:${at}` }, { $setOnInsert: { ...first, figures: NONE } }, { upsert: true });
          if (field in NONE) await buckets.updateOne({ _id: `s:${at}` }, { $inc: { [`figures.${field}`]: 1 } });
        }
      },
    }),
  };
}

/** Returns differences between reports and log, for each day and for the whole period. */
async function differences(
  buckets: ReturnType<typeof bucketsIn>,
  rows: readonly MessageRow[],
  zone: string,
  now: number,
): Promise<string[]> {
  const reports = createReports({
    buckets,
    recount: { freshen: async () => {} },
    contacts: { count: async () => 0 },
    unanswered: { list: async () => [] },
    consents: { optedOutBetween: async () => [] },
    devices: { list: async () => [] },
    agents: { list: async () => [] },
    campaigns: { find: async () => null },
    chatKey: (_tenant, chat) => chat,
  });
  const asked = { tenantId: 't', zone, days: 30, now };
  const byDate = Map.groupBy(rows, ({ created_at }) => wall(zone, created_at).toPlainDate().toString());
  const [daily, hourly, overview] = [await reports.daily(asked), await reports.hourly(asked), await reports.overview(asked)];
  const wrong = daily.flatMap((day) => {
    const expected = expectedOf(byDate.get(day.date) ?? [], day.date);
    return JSON.stringify(expected) === JSON.stringify(day) ? [] : [`${zone} ${JSON.stringify(day)} but ${JSON.stringify(expected)}`];
  });
  const hours = expectedHours(rows, zone);
  if (JSON.stringify(hourly) !== JSON.stringify(hours)) wrong.push(`${zone}: hours differ`);
  const median = expectedMedian(rows);
  if (overview.median_first_reply_ms.value !== median)
    wrong.push(`${zone}: first answers ${overview.median_first_reply_ms.value} but ${median}`);
  const active = new Set(rows.filter(wasSaid).map(({ chat_id }) => chat_id)).size;
  if (overview.active_chats.value !== active) wrong.push(`${zone}: ${overview.active_chats.value} chats but ${active}`);
  const later = await reports.overview({ ...asked, now: now + 30 * 86_400_000 });
  const [{ value, previous }, whole] = [later.received, overview.received.value];
  if (value !== 0 || previous !== whole) wrong.push(`${zone}: a month later ${value} and ${previous}, but 0 and ${whole}`);
  return wrong;
}

const wasLeft = ({ status }: MessageRow): boolean => ['sent', 'delivered', 'read'].includes(status);
const wasSaid = (row: MessageRow): boolean => row.direction === 'inbound' || wasLeft(row);
const wall = (zone: string, at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

function expectedOf(own: readonly MessageRow[], date: string): DayFigures {
  const ours = (...statuses: readonly string[]) =>
    own.filter(({ direction, status }) => direction === 'outbound' && statuses.includes(status)).length;
  return {
    date,
    sent: ours('sent', 'delivered', 'read'),
    received: own.filter(({ direction }) => direction === 'inbound').length,
    delivered: ours('delivered', 'read'),
    read: ours('read'),
    failed: ours('failed'),
  };
}

function expectedHours(rows: readonly MessageRow[], zone: string): number[][] {
  const hours = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  for (const { direction, created_at } of rows) {
    const { dayOfWeek, hour } = wall(zone, created_at);
    const row = hours[dayOfWeek % 7] ?? [];
    if (direction === 'inbound') row[hour] = (row[hour] ?? 0) + 1;
  }
  return hours;
}

/** Computes the expected median chat by chat, as a person would. */
function expectedMedian(rows: readonly MessageRow[]): number | null {
  const waits: number[] = [];
  for (const chat of Map.groupBy(rows, ({ chat_id }) => chat_id).values()) {
    let since: number | null = null;
    for (const row of chat.toSorted((one, other) => one.created_at - other.created_at || (one._id < other._id ? -1 : 1))) {
      const { direction, created_at } = row;
      if (direction === 'inbound') since ??= created_at;
      else {
        if (since !== null && wasLeft(row)) waits.push(created_at - since);
        since = null;
      }
    }
  }
  waits.sort((one, other) => one - other);
  const upper = waits[Math.floor(waits.length / 2)];
  const lower = waits[Math.ceil(waits.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : Math.round((upper + lower) / 2);
}
