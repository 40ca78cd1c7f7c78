import { momentOfId } from '../../runtime/derived-ids.ts';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';
import type { Collection, Condition, Doc, Filter } from '../port.ts';
import { hooksOf } from '../store-links/hooks.ts';
import { callsThem, forget, isAbout, mentions, type Names, type Needles, namesIn } from './mentions.ts';

export interface Traced {
  readonly tenantId: string;
  /** Digits of the person's main number; the hidden address if the number is unknown. */
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
  /** Records created later are kept; epoch ms. */
  readonly until: number;
}

export interface Swept {
  readonly removed: number;
  /** Whether a row is in use, so that the collection must be processed again. */
  readonly isBusy: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Row = Doc & Fields;
type Scope = (who: Traced) => readonly Filter[];

interface Trace {
  readonly scope: Scope;
  /** Whether the whole row is the person's; if absent, every row that names them is. */
  readonly own?: (row: Row, who: Traced) => boolean;
  /** When the row's subject was created, epoch ms; if absent, the row's own creation counts. */
  readonly madeAt?: (row: Fields) => number;
  /** Set if the collection's times may be ahead of the clock; its rows are always processed. */
  readonly isAhead?: true;
  /** Set if an index finds the few rows of each filter, which are then read at once. */
  readonly isShort?: true;
  readonly busy?: (row: Row, who: Traced) => boolean;
  /** A row is deleted only while these fields are as read. */
  readonly unchanged?: readonly string[];
  /** A field that holds a record as JSON; mentions in that record are removed as well. */
  readonly json?: string;
  /** Set if there may be contact cards: the names on the person's card are removed everywhere. */
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

/** Every collection that identifies people who write to a business, in processing order. */
const TRACES: Readonly<Record<string, Trace>> = {
  scheduled: { scope: ofDevices, own: isTheirChat, hasCards: true },
  recurring: { scope: ofDevices, own: (row, { needles }) => isAbout({ targets: row['targets'] }, needles) },
  official_people: { scope: ofTenant, own: namedIn('alias') },
  campaign_recipients: {
    scope: ({ campaigns, numbers, subjects }) =>
      inChunks(campaigns, CAMPAIGNS_AT_ONCE).flatMap((some) => [
        { blast_id: { $in: some }, phone: { $in: subjects } },
        // `numbers` does not contain a number that two people may share; its rows are found by the
        // readings.
        { blast_id: { $in: some }, status: 'invalid', readings: { $in: numbers.map((digits) => `+${digits}`) } },
      ]),
    isShort: true,
  },
  campaigns: { scope: ofTenant, own: nothing },
  // Keeps actions that also concern other recipients: a status is deleted for everyone who saw it.
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
  // A stored response about the person is removed with its key; a response about several people loses a part.
  idempotency: {
    scope: byKey,
    json: 'answer',
    own: (row, who) => mentions(row._id, who.needles) || isAbout(parsed(row['answer']), who.needles),
  },
  // Deliveries are created from the event until it is fanned out.
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

/** When an event's subject was created; for events about a message, the message's age counts. */
function toldAt({ type, occurred_at, timestamp, date_time, data }: Fields): number {
  // Bodies in the form of WAHA have `timestamp`, those of Evolution `date_time`.
  const at = Number(occurred_at ?? timestamp ?? (typeof date_time === 'string' ? Date.parse(date_time) : 0));
  const isOfMessage = String(type).startsWith('message.') && typeof data === 'object' && data !== null && 'message_id' in data;
  const id = isOfMessage ? String(data.message_id) : '';
  return ULID.test(id) ? Math.min(at, momentOfId(id)) : at;
}

/**
 * Removes a person's traces from one collection, each row idempotently. `before` sees each row
 * before its deletion and may postpone it (false); `cut` sees each row before the person is cut
 * out.
 */
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

/** Retries when the row changes. Returns false if it kept changing. */
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
  // A recurring send without recipients is deleted.
  if (changed.some(([field, value]) => field === 'targets' && Array.isArray(value) && value.length === 0))
    return (await collection.deleteOne(asRead)).deletedCount === 1;
  return (await collection.updateOne(asRead, { $set: Object.fromEntries(changed) })).matchedCount === 1;
}
