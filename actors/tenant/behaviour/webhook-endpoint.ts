import type { DeliveryRow, Taken } from '../../../store/webhooks/deliveries.ts';
import type { OpenedWebhook } from '../../../store/webhooks/webhooks.ts';
import type { Endpoint, EndpointPace, TenantEffect } from '../protocol.ts';

/**
 * Controls the flow to one webhook, with a queue in memory and a window of requests in flight. A
 * delivery is in flight at most once. All deliveries are in the store.
 */

const FIRST_WINDOW = 8;
const SMALLEST_WINDOW = 4;
const LARGEST_WINDOW = 32;
/** Requests per tenant. A webhook can always use the smallest window, even beyond this maximum. */
const MAX_IN_FLIGHT = 128;
/** Limits on deliveries in memory. Reading stops at the first delivery that reaches a limit. */
const QUEUE = { rows: 200, bytes: 1_000_000 } as const;

type EndpointStep = readonly [endpoint: Endpoint, effects: readonly TenantEffect[]];

const NONE: ReadonlySet<string> = new Set();

export const discovered = (webhook: OpenedWebhook): Endpoint => ({
  webhook,
  queue: [],
  inFlight: new Set(),
  window: FIRST_WINDOW,
  more: true,
  isTaking: false,
  over: NONE,
  isRead: false,
  nextAt: null,
});

export const anew = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  queue: [],
  more: false,
  isTaking: false,
  over: NONE,
  isRead: false,
});

export const lookedFor = (endpoint: Endpoint): Endpoint => ({ ...endpoint, isRead: endpoint.isTaking });

/** Queues the deliveries that fit. The rest, and all that a pending read may return, are read later. */
export function offered(endpoint: Endpoint, rows: readonly DeliveryRow[]): Endpoint {
  if (rows.length === 0) return endpoint;
  const fitting = endpoint.more || endpoint.isRead ? [] : fittingOf(endpoint.queue, rows);
  return { ...endpoint, queue: [...endpoint.queue, ...fitting], more: endpoint.more || rows.length > fitting.length };
}

function fittingOf(queue: Endpoint['queue'], rows: readonly DeliveryRow[]): readonly DeliveryRow[] {
  const fitting: DeliveryRow[] = [];
  let bytes = queue.reduce((sum, { body }) => sum + body.length, 0);
  for (const row of rows) {
    if (bytes >= QUEUE.bytes || queue.length + fitting.length >= QUEUE.rows) break;
    fitting.push(row);
    bytes += row.body.length;
  }
  return fitting;
}

export function taken(endpoint: Endpoint, { rows, more, nextAt }: Taken): Endpoint {
  const known = new Set([...endpoint.inFlight, ...endpoint.over, ...endpoint.queue.map(({ _id }) => _id)]);
  const queue = [...endpoint.queue, ...rows.filter(({ _id }) => !known.has(_id))];
  return { ...endpoint, queue, isTaking: false, over: NONE, more: endpoint.more || more, nextAt: earliest(endpoint.nextAt, nextAt) };
}

/** If the window is full, a quick request adds one, which doubles it per round. A slow one halves it. */
function windowAfter({ window, inFlight }: Endpoint, pace: EndpointPace): number {
  if (pace === 'slow') return Math.max(SMALLEST_WINDOW, window >> 1);
  return pace === 'quick' && inFlight.size >= window ? Math.min(LARGEST_WINDOW, window + 1) : window;
}

export function attempted(endpoint: Endpoint, id: string, nextAt: number | null, pace: EndpointPace): Endpoint {
  const inFlight = new Set(endpoint.inFlight);
  inFlight.delete(id);
  const over = endpoint.isTaking ? new Set([...endpoint.over, id]) : NONE;
  return { ...endpoint, inFlight, over, window: windowAfter(endpoint, pace), nextAt: earliest(endpoint.nextAt, nextAt) };
}

export function retryDue(endpoint: Endpoint, now: number): Endpoint {
  return endpoint.nextAt === null || endpoint.nextAt > now ? endpoint : { ...endpoint, nextAt: null, more: true };
}

export function pump(endpoint: Endpoint, round: number, others: number): EndpointStep {
  const { webhook, queue, inFlight, window } = endpoint;
  if (webhook.disabled_at !== null || webhook.secret === null) return [{ ...endpoint, queue: [], more: true }, []];
  const allowed = Math.max(SMALLEST_WINDOW, Math.min(window, MAX_IN_FLIGHT - others));
  const starting = queue.slice(0, Math.max(0, allowed - inFlight.size));
  const next: Endpoint = {
    ...endpoint,
    queue: queue.slice(starting.length),
    inFlight: starting.length === 0 ? inFlight : new Set([...inFlight, ...starting.map(({ _id }) => _id)]),
  };
  const attempts = starting.map((row): TenantEffect => ({ do: 'attempt', webhook, row }));
  if (!next.more || next.isTaking || next.queue.length > 0) return [next, attempts];
  const take: TenantEffect = { do: 'take', round, webhookId: webhook._id, room: { ...QUEUE, except: [...next.inFlight] } };
  return [{ ...next, more: false, isTaking: true, isRead: true }, [...attempts, take]];
}

/** Whether the webhook is idle. Not if its secret is unreadable, because its key may return unnoticed. */
export const isQuiet = ({ webhook, queue, inFlight, more, isTaking }: Endpoint): boolean =>
  inFlight.size === 0 && !isTaking && (webhook.disabled_at !== null || (webhook.secret !== null && queue.length === 0 && !more));

export const nextOf = ({ webhook, nextAt }: Endpoint): number | null => (webhook.disabled_at === null ? nextAt : null);

export function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}
