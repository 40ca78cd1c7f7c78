import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { MOST_READERS, type PullReaders } from '../../../actors/services/events/readers.ts';
import { bodyOf, type EventBody, STREAMABLE, SUBSCRIBABLE } from '../../../actors/services/events/types.ts';
import type { Live } from '../../../actors/services/live/live.ts';
import { type AssigneesOf, shownTo, type TicketHolder } from '../../../actors/services/live/visibility.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { present } from '../../../runtime/invariant.ts';
import { type EventOrder, mayHaveGap, type Position, wasReadBefore } from '../../../store/events/event-order.ts';
import type { ReaderOwner } from '../../../store/events/event-readers.ts';
import type { EventRow } from '../../../store/events/events.ts';
import { fitting } from '../../../store/paging/page.ts';
import { type Area, type Call, type Caller, mayLinkPhones, Ongoing, rowsFor, type TicketCall } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import { EVENT_FACTS } from './catalogue.ts';

export interface EventsServices {
  readonly live: Live;
  readonly eventOrder: EventOrder;
  readonly assigneesOf: AssigneesOf;
  readonly pullReaders: PullReaders;
  readonly eventsKeptMs: number;
}

interface PullQuery {
  after?: string;
  limit: number;
  events?: readonly string[];
  reader?: string;
}

interface StreamQuery {
  ticket?: string;
  events?: readonly string[];
}

interface Pulled {
  readonly events: readonly EventBody[];
  readonly next: string | null;
  /** Present if this reader may have missed events, because they have already been removed. */
  readonly gap?: true;
}

const MAX_POLLS = 20;
const NOT_KEPT = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } as const;

const EventSchema = Joi.object<EventBody>({
  id: Joi.string()
    .required()
    .description('`evt_` and a ULID. The same in webhooks, streams and pulls')
    .example('evt_01JZX5ZB4T8QKX3N9V7C2M6D1E'),
  type: Joi.string().required().example('message.received'),
  session_id: Ulid.allow(null).required(),
  occurred_at: Timestamp.required(),
  data: Joi.object().unknown().required(),
}).meta({ title: 'Event' });

const EventNames = Joi.array()
  .items(Joi.string().valid(...STREAMABLE))
  .min(1)
  .max(STREAMABLE.length)
  .unique()
  .description('The events of the stream, including additional ones. Default: the standard events');

const ReaderName = Joi.string()
  .pattern(/^[a-z0-9-]{1,40}$/)
  .example('bridge');

const NamesToRecord = Joi.string()
  .max(4_000)
  .custom((text: string, { error }) => {
    const names = [...new Set(text.split(','))];
    return names.every((name) => SUBSCRIBABLE.includes(name)) ? names.toSorted() : error('any.only', { valids: SUBSCRIBABLE });
  })
  .description('The events of the reader, separated by commas. They are recorded for it. Default: the events that are always recorded')
  .example('message.received,message.delivered');

const DEFAULT_READER = 'default';

const row = rowsFor<EventsServices>();

export const events: Area<EventsServices> = {
  name: 'events',
  about: 'Events as they happen (Server-Sent Events), and the events of the last days for receivers without a public address',
  events: EVENT_FACTS,
  rows: [
    row({
      id: 'createEventsTicket',
      method: 'POST',
      path: '/v1/events-ticket',
      summary: 'Create a stream ticket',
      about: 'Create the address of a live stream. It works once, within 60 seconds',
      audit: { none: 'reading: a ticket opens a stream of events' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'read',
      body: Joi.object<{ events?: readonly string[] }>({ events: EventNames.example(['message.received', 'message.read']) }),
      status: 200,
      returns: Joi.object({ url: Joi.string().required().example('/v1/events?ticket=…') }),
      run: async ({ live }, { caller, body, now }) => ({
        url: `/v1/events?ticket=${await live.ticket(viewerOf(caller, body.events), now)}`,
      }),
    }),
    row({
      id: 'openEventStream',
      method: 'GET',
      path: '/v1/events',
      summary: 'Open the live stream',
      about:
        'Stream the standard events, `blast.*`, `scheduled.sent` and `recurring.executed`, or the events that you request. With a ticket, missed events are not replayed. With a bearer token or key, the stream follows the log of the last `EVENTS_DAYS` days in the order of `pull`; `Last-Event-ID` continues after that event without gaps or duplicates. Events that are not recorded have no `id:`. A stream whose client cannot keep up is closed',
      access: 'bearer',
      tickets: true,
      deviceKeys: true,
      agents: true,
      headers: ['last-event-id'],
      query: Joi.object<StreamQuery>({
        ticket: Joi.string()
          .max(128)
          .description('A ticket from `POST /v1/events-ticket`. It works once and determines the events of the stream'),
        events: EventNames.single(),
      }).without('ticket', 'events'),
      status: 200,
      produces: ['text/event-stream'],
      stepUp: { none: 'shows the same data as the lists; a stream ends with its login' },
      returns: Joi.string(),
      run: openStream,
    }),
    row({
      id: 'pullEvents',
      method: 'GET',
      path: '/v1/events/pull',
      summary: 'Pull events',
      about: `Pull the events of the last \`EVENTS_DAYS\` days (default 1), each at least once. Continue with \`next\`; a response ends at \`limit\` events or 1 MB. A key without \`manage\` does not get \`qr.generated\`, which links a phone. Agents get the events of the chats that they see, events about chats that they lose, and whether devices are online. Of the additional events, \`chat.assigned\` and \`session.passkey\` are always recorded, the others only while a webhook, a live stream or a reader requests them. \`events\` or \`reader\` makes the call a named reader: its events are recorded from its first call until \`EVENTS_DAYS\` days after its last one. A tenant has at most ${MOST_READERS} readers. A reader belongs to the key or login that created it and is removed with it. Agents cannot create readers`,
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      query: Joi.object<PullQuery>({
        after: Joi.string()
          .pattern(/^\d{1,15}\.evt_[0-9A-HJKMNP-TV-Z]{26}$/)
          .description('`next` of the previous response; without it, the list starts with the oldest event'),
        limit: Joi.number().integer().min(1).max(200).default(50).description('Events per page'),
        events: NamesToRecord,
        reader: ReaderName.description('The name of the reader. With `events`, the default is `default`'),
      }),
      status: 200,
      returns: Joi.object<Pulled>({
        events: Joi.array().items(EventSchema).required(),
        next: Joi.string().allow(null).required().description('Send it as `after` in the next call; null if there are no events yet'),
        gap: Joi.valid(true).description(
          'True if your call came too late, so events after `after` may be lost. Read the messages since then (`GET …/messages?since=`)',
        ),
      }),
      refuses: ['FORBIDDEN', 'CONFLICT', 'LIMIT_REACHED'],
      run: pull,
    }),
    row({
      id: 'endEventReader',
      method: 'DELETE',
      path: '/v1/events/readers/{name}',
      summary: 'End an event reader',
      about:
        'Remove a reader. Events that only this reader requested are no longer recorded. Only its key or login and the owner can do this',
      audit: { none: 'reading: a reader only names what it pulls' },
      access: 'bearer',
      deviceKeys: true,
      scope: 'read',
      stepUp: { none: 'ends a subscription that its reader can create again' },
      params: Joi.object({ name: ReaderName.required() }),
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      async run({ pullReaders }, { caller, params, now }) {
        await pullReaders.end(caller.tenantId, params.name, { owner: ownerOf(caller), isOwner: caller.key === null }, now);
        return { ok: true };
      },
    }),
  ],
};

async function openStream({ live }: EventsServices, { caller, query, header, address, now }: TicketCall<unknown, StreamQuery, unknown>) {
  const { ticket = '', events } = query;
  const begin = caller
    ? await live.follow({ ...viewerOf(caller, events), address }, lastEventIdIn(header('last-event-id')), now)
    : await live.admit(ticket, address, now);
  return new Ongoing('text/event-stream; charset=utf-8', NOT_KEPT, begin);
}

const NOT_AN_ID = { en: 'must be the `id:` of an event', id: 'harus berupa `id:` sebuah kejadian' };
const EVENT_ID = /^evt_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Clients that have not received any event yet may send an empty id. */
function lastEventIdIn(header = ''): string | null {
  if (header === '') return null;
  if (!EVENT_ID.test(header)) throw refusal('VALIDATION_FAILED', { field: 'Last-Event-ID', reason: NOT_AN_ID });
  return header;
}

function viewerOf({ tenantId, role, agentId, family, key, expiresAt }: Caller, events: readonly string[] | null = null): TicketHolder {
  return {
    tenantId,
    role,
    agentId,
    family,
    keyId: key?.id ?? null,
    keyHash: key?.hash ?? null,
    manages: mayLinkPhones({ role, key }),
    tokenExpiresAt: expiresAt,
    sessionIds: key?.sessionIds ?? null,
    events,
  };
}

function ownerOf({ role, key, family }: Caller): ReaderOwner {
  if (role === 'agent') throw refusal('FORBIDDEN');
  return key ? { kind: 'key', id: key.id } : { kind: 'login', id: present(family, 'the login of a caller without a key') };
}

async function pull(services: EventsServices, { caller, query, now }: Call<unknown, PullQuery, unknown>): Promise<Pulled> {
  const { eventOrder, assigneesOf, pullReaders, eventsKeptMs } = services;
  const { limit, events = null, reader: name } = query;
  const viewer = viewerOf(caller);
  const { tenantId, sessionIds } = viewer;
  const isNamed = name !== undefined || events !== null;
  const wanted = isNamed ? { name: name ?? DEFAULT_READER, owner: ownerOf(caller), events } : null;
  const reader = wanted && (await pullReaders.pull(tenantId, wanted, now));
  let place = query.after === undefined ? null : placeIn(query.after);
  // Event types that only this reader wants were not recorded while the reader did not exist.
  const isFollowed = place && reader?.again && wasReadBefore(place, reader.since);
  const hasGap = isFollowed || (place !== null && mayHaveGap(place, eventsKeptMs, now));
  for (let looks = 1; ; looks += 1) {
    const after: Position | null = place;
    const { isMore, shown, ...page } = await fairSlices.run(tenantId, async () => {
      const found = await eventOrder.read(tenantId, { after, sessionIds, limit, now });
      const named = events === null ? found.rows : found.rows.filter(({ type }) => events.includes(type));
      return { ...found, shown: await shownTo(assigneesOf, viewer, named) };
    });
    place = page.place;
    // All events of a page may be hidden from this caller, so more pages are read before responding.
    if (shown.length > 0 || !isMore || looks === MAX_POLLS) return { ...answerOf(shown, place), ...(hasGap && { gap: true }) };
  }
}

function answerOf(shown: readonly EventRow[], place: Position | null): Pulled {
  const events = fitting(shown.map(bodyOf));
  const last = events.length < shown.length ? shown[events.length - 1] : undefined;
  const next = last ? { batch: last.batch, id: last._id } : place;
  return { events, next: next && textOf(next) };
}

const textOf = ({ batch, id }: Position): string => `${batch}.${id}`;

function placeIn(after: string): Position {
  const dot = after.indexOf('.');
  return { batch: Number(after.slice(0, dot)), id: after.slice(dot + 1) };
}
