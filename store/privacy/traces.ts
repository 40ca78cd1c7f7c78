import { momentOfId } from '../../runtime/derived-ids.ts';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';
import type { Collection, Condition, Doc, Filter } from '../port.ts';
import { hooksOf } from '../store-links/hooks.ts';
import { callsThem, forget, isAbout, mentions, type Names, type Needles, namesIn } from './mentions.ts';

export interface Traced {
  readonly tenantId: string;
  readonly phone: string;
  readonly numbers: readonly string[];
  readonly subjects: readonly string[];
  readonly needles: Needles;
  readonly devices: readonly string[];
  readonly removed: readonly string[];
  readonly rotators: readonly string[];
  readonly campaigns: readonly string[];
  readonly links: readonly string[];
  readonly counted: readonly string[];
  readonly until: number;
}

export interface Swept {
  readonly removed: number;
  readonly isBusy: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Row = Doc & Fields;
type Scope = (who: Traced) => readonly Filter[];

interface Trace {
  readonly scope: Scope;
  /** Whether the row is about the person. If absent, every row that mentions the person is. */
  readonly own?: (row: Row, who: Traced) => boolean;
  /** Returns the time when the row's subject was created. If absent, the row's own creation time is used. */
  readonly madeAt?: (row: Fields) => number;
  /** True if the collection's times may be ahead of the clock. Its rows are then always processed. */
  readonly isAhead?: true;
  /** True if an index finds each filter's rows and they are few, so that they are read in one slice. */
  readonly isShort?: true;
  readonly busy?: (row: Row, who: Traced) => boolean;
  /** A row is deleted only if these fields have not changed since it was read. */
  readonly unchanged?: readonly string[];
  readonly json?: string;
  /** The names on the person's contact card are removed everywhere. */
  readonly hasCards?: true;
}

const MAX_TRIES = 20;
const CAMPAIGNS_AT_ONCE = 200;
const ofTenant: Scope = ({ tenantId }) => [{ tenant_id: tenantId }];
const ofDevices: Scope = ({ devices }) => devices.map((session_id) => ({ session_id }));
const byKey: Scope = ({ tenantId }) => [{ _id: { $gt: `${tenantId}:`, $lt: `${tenantId};` } }];
const nothing = (): boolean => false;
const NO_NAMES: Names = new Set();
const namedIn =
  (...fields: readonly string[]) =>
  (row: Row, { needles }: Traced): boolean =>
    fields.some((field) => mentions(row[field], needles));
const isTheirChat = namedIn('chat_id');

const TRACES: Readonly<Record<string, Trace>> = {
  scheduled: { scope: ofDevices, own: isTheirChat, hasCards: true },
  recurring: { scope: ofDevices, own: (row, { needles }) => isAbout({ targets: row['targets'] }, needles) },
  official_people: { scope: ofTenant, own: namedIn('alias') },
  campaign_recipients: {
    scope: ({ campaigns, numbers, subjects }) =>
      inChunks(campaigns, CAMPAIGNS_AT_ONCE).flatMap((some) => [
        { blast_id: { $in: some }, phone: { $in: subjects } },
        { blast_id: { $in: some }, status: 'invalid', readings: { $in: numbers.map((digits) => `+${digits}`) } },
      ]),
    isShort: true,
  },
  campaigns: { scope: ofTenant, own: nothing },
  // Keeps actions that also concern a status's other recipients.
  message_actions: { scope: ofDevices, own: namedIn('chat_id', 'from') },
  messages: {
    scope: ofDevices,
    own: namedIn('chat_id', 'sender', 'sender_lid'),
    busy: ({ status, outbox_pending, refund, session_id }, { removed }) =>
      refund !== undefined || ((status === 'sending' || outbox_pending === true) && !removed.includes(String(session_id))),
    unchanged: ['status', 'rev'],
    hasCards: true,
  },
  received_actions: { scope: ofDevices },
  poll_votes: { scope: ofDevices },
  member_receipts: { scope: ofDevices, own: isTheirChat },
  saved_names: { scope: ofTenant },
  move_ins: { scope: ofDevices },
  groups: { scope: ofDevices, own: nothing, isAhead: true },
  channels: { scope: ofDevices, own: nothing, isAhead: true },
  status_views: { scope: ofDevices, isAhead: true },
  chats: { scope: ofTenant, own: isTheirChat },
  contacts: { scope: ofTenant, own: namedIn('phone'), isAhead: true },
  contact_merges: { scope: ofTenant, own: namedIn('phone'), isAhead: true },
  segments: { scope: ofTenant, own: nothing },
  jobs: { scope: ofTenant, own: nothing },
  // A response about one person is removed with its key. A shared response loses the person's part.
  idempotency: {
    scope: byKey,
    json: 'answer',
    own: (row, who) => mentions(row._id, who.needles) || isAbout(parsed(row['answer']), who.needles),
  },
  // Waits for events that are not fanned out yet, because deliveries may still be created from them.
  events: { scope: ofTenant, madeAt: toldAt, busy: ({ fanned }) => fanned === false },
  deliveries: { scope: ofTenant, madeAt: ({ body }) => toldAt(JSON.parse(String(body))) },
  store_hooks: { scope: ({ links }) => links.map((link) => hooksOf(link)) },
  rotator_chats: { scope: ({ rotators }) => rotators.map((rotator_id) => ({ rotator_id })) },
  auto_reply_turns: { scope: ({ counted }) => counted.map((of) => ({ of })) },
};

export const TRACED: readonly string[] = Object.keys(TRACES);

function traceOf(name: string): Trace {
  const trace = TRACES[name];
  if (!trace) throw new Error(`nobody said how somebody is forgotten in ${name}`);
  return trace;
}

const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : undefined);

const rowMadeAt = (row: Row): number => Number(row['created_at'] ?? row['occurred_at'] ?? row['at'] ?? 0);

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Returns the event's time or, for an event about an older message, the message's time. */
function toldAt({ type, occurred_at, timestamp, date_time, data }: Fields): number {
  // Bodies in WAHA's format have `timestamp`, those in Evolution's have `date_time`.
  const at = Number(occurred_at ?? timestamp ?? (typeof date_time === 'string' ? Date.parse(date_time) : 0));
  const isOfMessage = String(type).startsWith('message.') && typeof data === 'object' && data !== null && 'message_id' in data;
  const id = isOfMessage ? String(data.message_id) : '';
  return ULID.test(id) ? Math.min(at, momentOfId(id)) : at;
}

/** `before` may return false to postpone a deletion. Idempotent for each row. */
export async function sweepTraces(
  collection: Collection<Doc>,
  name: string,
  who: Traced,
  before: (row: Row) => Promise<boolean> = async () => true,
  cut: (row: Row, names: Names) => Promise<void> = async () => {},
): Promise<Swept> {
  const { own = () => true, busy = nothing, madeAt = rowMadeAt, isAhead, unchanged = [], json, hasCards = false } = traceOf(name);
  const namesOf = (row: Row): Names => (hasCards ? namesIn(row, who.needles) : NO_NAMES);
  const isGone = async (row: Row): Promise<boolean> =>
    (await before(row)) && (await collection.deleteOne(asRead(row, unchanged))).deletedCount === 1;
  let [removed, isBusy] = [0, false];
  for await (const row of rowsOf(collection, name, who)) {
    if (!mentions(row, who.needles) || (!isAhead && madeAt(row) > who.until)) continue;
    if (busy(row, who)) isBusy = true;
    else if (!own(row, who)) {
      await cut(row, namesOf(row));
      isBusy = !(await cutOut(collection, row, { needles: who.needles, namesOf, json })) || isBusy;
    } else if (await isGone(row)) removed += 1;
    else isBusy = true;
  }
  return { removed, isBusy };
}

export async function* ownRows(collection: Collection<Doc>, name: string, who: Traced): AsyncGenerator<Row> {
  const { own = () => true } = traceOf(name);
  for await (const row of rowsOf(collection, name, who)) if (mentions(row, who.needles) && own(row, who)) yield row;
}

async function* rowsOf(collection: Collection<Doc>, name: string, who: Traced): AsyncGenerator<Row> {
  const { scope, isShort } = traceOf(name);
  for (const filter of scope(who)) {
    const found = collection.find(filter);
    const rows = isShort ? await fairSlices.run(who.tenantId, () => found.toArray()) : found;
    for await (const row of rows) yield { ...row };
  }
}

async function cutOut(
  collection: Collection<Doc>,
  found: Row,
  { needles, namesOf, json }: { needles: Needles; namesOf: (row: Row) => Names; json: string | undefined },
): Promise<boolean> {
  let row: Row | null = found;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const names = namesOf(row);
    const named = Object.entries(row).filter(([field, value]) => field !== '_id' && (mentions(value, needles) || callsThem(value, names)));
    if (named.length === 0) return true;
    const fields = named.map(([field]) => field);
    const changed = named.map(
      ([field, value]) =>
        [field, field === json ? JSON.stringify(forget(parsed(value), needles, names)) : forget(value, needles, names)] as const,
    );
    if (await replaced(collection, asRead(row, fields), changed)) return true;
    const again: Doc | null = await collection.findOne({ _id: row._id });
    if (!again) return true;
    row = { ...again };
  }
  return false;
}

const asRead = (row: Row, fields: readonly string[]): Filter => ({
  _id: row._id,
  ...Object.fromEntries(fields.map((field) => [field, { $eq: compared(row[field]) }])),
});

function compared(value: unknown): NonNullable<Condition['$eq']> {
  if (typeof value === 'string' || typeof value === 'number' || (typeof value === 'object' && value !== null)) return value;
  throw new TypeError('names nobody');
}

async function replaced(collection: Collection<Doc>, asRead: Filter, changed: readonly (readonly [string, unknown])[]): Promise<boolean> {
  if (changed.some(([field, value]) => field === 'targets' && Array.isArray(value) && value.length === 0))
    return (await collection.deleteOne(asRead)).deletedCount === 1;
  return (await collection.updateOne(asRead, { $set: Object.fromEntries(changed) })).matchedCount === 1;
}
