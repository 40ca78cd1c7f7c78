import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';

export type Entry = Omit<Schemas['MessageLogEntry'], 'sender' | 'sender_name'> & Partial<Schemas['Message']>;

/** Position from which older messages can be read; null at the beginning of the chat. */
export type Older = { readonly before: number; readonly before_id: string } | null;

export interface Thread {
  readonly entries: readonly Entry[];
  readonly older: Older;
  /** False if all entries come from events, which do not show how far back the chat goes. */
  readonly isLoaded: boolean;
}

const STATUSES: readonly Entry['status'][] = ['queued', 'sent', 'delivered', 'read', 'failed', 'cancelled', 'deleted'];
const KINDS: readonly Entry['message_type'][] = ['text', 'image', 'document', 'audio', 'video', 'sticker', 'location', 'poll', 'contact'];

export const statusIn = (value: unknown): Entry['status'] | undefined => STATUSES.find((one) => one === value);
export const kindIn = (value: unknown): Entry['message_type'] | undefined => KINDS.find((one) => one === value);

export const EMPTY: Thread = { entries: [], older: null, isLoaded: false };

export interface Page {
  readonly messages: readonly Entry[];
  readonly next_before: number | null;
  readonly next_before_id: string | null;
}

const olderOf = ({ next_before: before, next_before_id: before_id }: Page): Older =>
  before === null || before_id === null ? null : { before, before_id };

const FORWARD = ['queued', 'sent', 'delivered', 'read'];

/** A late response must not undo an event, but a failed message may be queued again. */
function laterStatus(known: Entry['status'], come: Entry['status']): Entry['status'] {
  const [from, to] = [FORWARD.indexOf(known), FORWARD.indexOf(come)];
  return from > 0 && to >= 0 && to < from ? known : come;
}

const inOrder = (one: Entry, other: Entry): number => one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

export function merged(entries: readonly Entry[], come: readonly Entry[]): readonly Entry[] {
  const byId = new Map(entries.map((one) => [one.id, one]));
  for (const one of come) {
    const known = byId.get(one.id);
    byId.set(one.id, known ? { ...known, ...one, status: laterStatus(known.status, one.status) } : one);
  }
  return [...byId.values()].toSorted(inOrder);
}

export const withOlder = ({ entries }: Thread, page: Page): Thread => ({
  entries: merged(entries, page.messages),
  older: olderOf(page),
  isLoaded: true,
});

/** Returns false if messages between the page and the known ones may be missing. */
export const isJoined = ({ entries, isLoaded }: Thread, page: Page): boolean =>
  !isLoaded || entries.length === 0 || olderOf(page) === null || page.messages.some(({ id }) => entries.some((known) => known.id === id));

/**
 * Replaces the messages if there is a gap. `since` is the thread as it was when the page was
 * requested.
 */
export function withNewest(thread: Thread, pages: readonly Page[], since: Thread = thread): Thread {
  const [last] = pages.slice(-1);
  if (!last) return thread;
  const come = pages.flatMap(({ messages }) => messages);
  if (!thread.isLoaded) return { entries: merged(thread.entries, come), older: olderOf(last), isLoaded: true };
  if (thread.entries.length > 0 && pages.some((page) => isJoined(thread, page)))
    return { ...thread, entries: merged(thread.entries, come) };
  const known = new Set(since.entries.map(({ id }) => id));
  const meanwhile = thread.entries.filter(({ id }) => !known.has(id));
  return { entries: merged(meanwhile, come), older: olderOf(last), isLoaded: true };
}

export function withStatus(thread: Thread, id: string, status: Entry['status'], error: string | null = null): Thread {
  const change = (one: Entry): Entry =>
    one.id === id ? { ...one, status: laterStatus(one.status, status), ...(error !== null && { error }) } : one;
  return { ...thread, entries: thread.entries.map(change) };
}
