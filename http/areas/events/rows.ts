import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { bodyOf, type EventBody, STREAMABLE } from '../../../actors/services/events/types.ts';
import type { Live } from '../../../actors/services/live/live.ts';
import { type AssigneesOf, shownTo, type TicketHolder } from '../../../actors/services/live/visibility.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { EventOrder, Position } from '../../../store/events/event-order.ts';
import type { EventRow } from '../../../store/events/events.ts';
import { fitting } from '../../../store/paging/page.ts';
import { type Area, type Call, type Caller, mayLinkPhones, Ongoing, rowsFor, type TicketCall } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { EVENT_FACTS } from './catalogue.ts';

export interface EventsServices {
  readonly live: Live;
  readonly eventOrder: EventOrder;
  readonly assigneesOf: AssigneesOf;
}

interface PullQuery {
  after?: string;
  limit: number;
}

interface StreamQuery {
  ticket?: string;
  events?: readonly string[];
}

/** A page of events, and where the next one begins. */
interface Pulled {
  readonly events: readonly EventBody[];
  readonly next: string | null;
}

/** Steps through the events for one answer. */
const MAX_POLLS = 20;
const NOT_KEPT = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } as const;

const EventSchema = Joi.object<EventBody>({
  id: Joi.string()
    .required()
    .description('`evt_` and a ULID; the same wherever the event appears')
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
  .description('The events that the stream carries, additional ones among them; default: those that are for everybody');

const row = rowsFor<EventsServices>();

export const events: Area<EventsServices> = {
  name: 'events',
  about: 'Events as they happen (Server-Sent Events), and the events of the last 24 hours for receivers without a public address',
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
        'The events that are for everybody, `blast.*`, `scheduled.sent` and `recurring.executed`, or those that are named. With a ticket, missed events are not replayed. With a bearer token or key, the stream follows the log of the last 24 hours in the order of `pull`; `Last-Event-ID` continues behind that event, so that nothing is missed or doubled. Events that are not recorded have no `id:`. A reader that cannot keep up is closed',
      access: 'bearer',
      tickets: true,
      deviceKeys: true,
      agents: true,
      headers: ['last-event-id'],
      query: Joi.object<StreamQuery>({
        ticket: Joi.string().max(128).description('From events-ticket; works once, and says itself what the stream carries'),
        events: EventNames.single(),
      }).without('ticket', 'events'),
      status: 200,
      produces: ['text/event-stream'],
      stepUp: { none: 'reads what lists show; a stream ends with its login' },
      returns: Joi.string(),
      run: openStream,
    }),
    row({
      id: 'pullEvents',
      method: 'GET',
      path: '/v1/events/pull',
      summary: 'Pull events',
      about:
        'Pull the events of the last 24 hours, each at least once. Continue with `next`; an answer ends at `limit` events or 1 MB. A key without `manage` does not get `qr.generated`, which links a phone. Agents get the events of the chats that they see, the loss of a chat, and whether devices are online. Of the additional events, `chat.assigned` and `session.passkey` are always here; the others only while a webhook or a live stream names them',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      query: Joi.object<PullQuery>({
        after: Joi.string()
          .pattern(/^\d{1,15}\.evt_[0-9A-HJKMNP-TV-Z]{26}$/)
          .description('`next` of the previous answer; without it, the list starts with the oldest event'),
        limit: Joi.number().integer().min(1).max(200).default(50).description('Events per page'),
      }),
      status: 200,
      returns: Joi.object<Pulled>({
        events: Joi.array().items(EventSchema).required(),
        next: Joi.string().allow(null).required().description('Send it as `after`; null: no events yet'),
      }),
      run: pull,
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

const NOT_AN_ID = { en: 'must be the `id:` of an event', id: 'harus berupa `id:` sebuah peristiwa' };
const EVENT_ID = /^evt_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Clients that have received nothing yet may send an empty one. */
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

async function pull(
  { eventOrder, assigneesOf }: EventsServices,
  { caller, query, now }: Call<unknown, PullQuery, unknown>,
): Promise<Pulled> {
  const { limit } = query;
  const viewer = viewerOf(caller);
  const { tenantId, sessionIds } = viewer;
  let place = query.after === undefined ? null : placeIn(query.after);
  for (let looks = 1; ; looks += 1) {
    const after: Position | null = place;
    const { isMore, shown, ...page } = await fairSlices.run(tenantId, async () => {
      const found = await eventOrder.read(tenantId, { after, sessionIds, limit, now });
      return { ...found, shown: await shownTo(assigneesOf, viewer, found.rows) };
    });
    place = page.place;
    // A whole page may be invisible to this caller: more is read before the answer is empty.
    if (shown.length > 0 || !isMore || looks === MAX_POLLS) return answerOf(shown, place);
  }
}

/** As many as fit into an answer: the next one begins behind them. */
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
