import { momentOfId } from '../../runtime/derived-ids.ts';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';
import type { Collection, Condition, Doc, Filter } from '../port.ts';
import { hooksOf } from '../store-links/hooks.ts';
import { callsThem, forget, isAbout, mentions, type Names, type Needles, namesIn } from './mentions.ts';

/** Whose traces, and of what time. */
export interface Traced {
  readonly tenantId: string;
  /** Digits of the number that stands for them; the hidden address of somebody whose number is not known. */
  readonly phone: string;
  /** All numbers by which they are or may be known. */
  readonly numbers: readonly string[];
  /** Those, and their hidden addresses. */
  readonly subjects: readonly string[];
  readonly needles: Needles;
  readonly devices: readonly string[];
  /** Those of `devices` that are no more. */
  readonly removed: readonly string[];
  readonly rotators: readonly string[];
  readonly campaigns: readonly string[];
  /** Connected online stores. */
  readonly links: readonly string[];
  /** Automatic replies are counted by device or rule. */
  readonly counted: readonly string[];
  /** What was made later stays; epoch ms. */
  readonly until: number;
}

/** What came of one collection. */
export interface Swept {
  readonly removed: number;
  /** A row is in the hands of somebody: it has to be looked at again. */
  readonly isBusy: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Row = Doc & Fields;
type Scope = (who: Traced) => readonly Filter[];

interface Trace {
  readonly scope: Scope;
  /** Rows that are theirs as a whole go; absent: every row that names them. Of the others they are cut out. */
  readonly own?: (row: Row, who: Traced) => boolean;
  /** When what a row is about was made, epoch ms; absent: when the row was. */
  readonly madeAt?: (row: Fields) => number;
  /** Its times may run ahead of the clock, so what is there now goes whenever it was made. */
  readonly isAhead?: true;
  /** An index finds the few rows of each filter: they are read at once. */
  readonly isShort?: true;
  readonly busy?: (row: Row, who: Traced) => boolean;
  /** A row goes only while these are as they were read. */
  readonly unchanged?: readonly string[];
  /** A field that holds a record as JSON, of which they are cut out as of the record itself. */
  readonly json?: string;
  /** What a row says of a card goes beyond the card: the names on it are cut out of its other fields, too. */
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

/** Every collection in which people who write to a business are named, in the order in which they are forgotten. */
const TRACES: Readonly<Record<string, Trace>> = {
  scheduled: { scope: ofDevices, own: isTheirChat, hasCards: true },
  recurring: { scope: ofDevices, own: (row, { needles }) => isAbout({ targets: row['targets'] }, needles) },
  official_people: { scope: ofTenant, own: namedIn('alias') },
  campaign_recipients: {
    scope: ({ campaigns, numbers, subjects }) =>
      inChunks(campaigns, CAMPAIGNS_AT_ONCE).flatMap((some) => [
        { blast_id: { $in: some }, phone: { $in: subjects } },
        // What was written for a number that may be two people's is none of `numbers`.
        { blast_id: { $in: some }, status: 'invalid', readings: { $in: numbers.map((digits) => `+${digits}`) } },
      ]),
    isShort: true,
  },
  campaigns: { scope: ofTenant, own: nothing },
  // Not those that others wait for: a status is taken back from everybody else to whom it was shown.
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
  move_ins: { scope: ofDevices },
  groups: { scope: ofDevices, own: nothing, isAhead: true },
  channels: { scope: ofDevices, own: nothing, isAhead: true },
  status_views: { scope: ofDevices, isAhead: true },
  chats: { scope: ofTenant, own: isTheirChat },
  contacts: { scope: ofTenant, own: namedIn('phone'), isAhead: true },
  contact_merges: { scope: ofTenant, own: namedIn('phone'), isAhead: true },
  segments: { scope: ofTenant, own: nothing },
  jobs: { scope: ofTenant, own: nothing },
  // The kept answer of a call about them goes with its key; in one about many their part goes.
  idempotency: {
    scope: byKey,
    json: 'answer',
    own: (row, who) => mentions(row._id, who.needles) || isAbout(parsed(row['answer']), who.needles),
  },
  // Deliveries are made of what it says, until there are all.
  events: { scope: ofTenant, madeAt: toldAt, busy: ({ fanned }) => fanned === false },
  deliveries: { scope: ofTenant, madeAt: ({ body }) => toldAt(JSON.parse(String(body))) },
  store_hooks: { scope: ({ links }) => links.map((link) => hooksOf(link)) },
  rotator_chats: { scope: ({ rotators }) => rotators.map((rotator_id) => ({ rotator_id })) },
  auto_reply_turns: { scope: ({ counted }) => counted.map((of) => ({ of })) },
};

/** The collections of `TRACES`, in order. */
export const TRACED: readonly string[] = Object.keys(TRACES);

function traceOf(name: string): Trace {
  const trace = TRACES[name];
  if (!trace) throw new Error(`nobody said how somebody is forgotten in ${name}`);
  return trace;
}

/** What a text holds as JSON; undefined: nothing. */
const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : undefined);

const rowMadeAt = (row: Row): number => Number(row['created_at'] ?? row['occurred_at'] ?? row['at'] ?? 0);

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** What becomes of a message is told later, also while its person is being erased: the message counts. */
function toldAt({ type, occurred_at, data }: Fields): number {
  const at = Number(occurred_at ?? 0);
  const isOfMessage = String(type).startsWith('message.') && typeof data === 'object' && data !== null && 'message_id' in data;
  const id = isOfMessage ? String(data.message_id) : '';
  return ULID.test(id) ? Math.min(at, momentOfId(id)) : at;
}

/**
 * Forgets somebody in one collection. Each row is one write, and doing it again changes nothing, so it may die anywhere. `before` is told of
 * every row that is to go, while it is still there; false: it may not go yet. `cut` is told
 * of every row out of which they are about to be cut, with the names by which it calls them.
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

/** Their own rows in one collection, as they are kept. */
export async function* ownRows(collection: Collection<Doc>, name: string, who: Traced): AsyncGenerator<Row> {
  const { own = () => true } = traceOf(name);
  for await (const row of rowsOf(collection, name, who)) if (mentions(row, who.needles) && own(row, who)) yield row;
}

/** All rows in which they may be named. */
async function* rowsOf(collection: Collection<Doc>, name: string, who: Traced): AsyncGenerator<Row> {
  const { scope, isShort } = traceOf(name);
  for (const filter of scope(who)) {
    const found = collection.find(filter);
    const rows = isShort ? await fairSlices.run(who.tenantId, () => found.toArray()) : found;
    for await (const row of rows) yield { ...row };
  }
}

/** Cuts them out of a row as it is now: of one that changed since it was read, out of what it became. False: it changes all the time. */
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

/** The row, if it still has these values. */
const asRead = (row: Row, fields: readonly string[]): Filter => ({
  _id: row._id,
  ...Object.fromEntries(fields.map((field) => [field, { $eq: compared(row[field]) }])),
});

/** A stored value, as a filter takes it. */
function compared(value: unknown): NonNullable<Condition['$eq']> {
  if (typeof value === 'string' || typeof value === 'number' || (typeof value === 'object' && value !== null)) return value;
  throw new TypeError('names nobody');
}

async function replaced(collection: Collection<Doc>, asRead: Filter, changed: readonly (readonly [string, unknown])[]): Promise<boolean> {
  // A recurring send to nobody.
  if (changed.some(([field, value]) => field === 'targets' && Array.isArray(value) && value.length === 0))
    return (await collection.deleteOne(asRead)).deletedCount === 1;
  return (await collection.updateOne(asRead, { $set: Object.fromEntries(changed) })).matchedCount === 1;
}
