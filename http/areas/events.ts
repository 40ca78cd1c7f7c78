import Joi from 'joi';
import { bodyOf, type EventBody } from '../../actors/events/types.ts';
import type { Live } from '../../actors/stream/live.ts';
import { type AssigneeOf, eventsInSight, type Viewer } from '../../actors/stream/sight.ts';
import type { EventOrder, Place } from '../../store/event-order.ts';
import { type Area, type Call, type Caller, Ongoing, rowsFor } from '../row.ts';
import { Timestamp, Ulid } from '../schemas.ts';

export interface EventsWorld {
  readonly live: Live;
  readonly eventOrder: EventOrder;
  readonly assigneeOf: AssigneeOf;
}

interface PullQuery {
  after?: string;
  limit: number;
}

/** A page of events, and where the next one begins. */
interface Pulled {
  readonly events: readonly EventBody[];
  readonly next: string | null;
}

/** Pages of events that are looked through for one answer. */
const MOST_LOOKS = 20;
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

const row = rowsFor<EventsWorld>();

export const events: Area<EventsWorld> = {
  name: 'events',
  about: 'What happens, as it happens (Server-Sent Events), and what happened in the last 24 hours for those without a public address',
  rows: [
    row({
      id: 'createEventsTicket',
      method: 'POST',
      path: '/v1/events-ticket',
      summary: 'The address of a live stream, good for one opening within 60 seconds',
      access: 'bearer',
      scope: 'read',
      status: 200,
      returns: Joi.object({ url: Joi.string().required().example('/v1/events?ticket=…') }),
      run: async ({ live }, { caller, now }) => ({ url: `/v1/events?ticket=${await live.ticket(viewerOf(caller), now)}` }),
    }),
    row({
      id: 'openEventStream',
      method: 'GET',
      path: '/v1/events',
      summary:
        'The live stream: what can be pulled, and `blast.*`, `scheduled.sent` and `recurring.executed`. What is missed while not connected is not repeated; a reader that cannot keep up is closed',
      access: 'none',
      query: Joi.object<{ ticket: string }>({ ticket: Joi.string().max(128).required().description('From events-ticket; works once') }),
      status: 200,
      produces: ['text/event-stream'],
      returns: Joi.string(),
      refuses: ['UNAUTHORIZED', 'RATE_LIMITED'],
      run: async ({ live }, { query, now }) =>
        new Ongoing('text/event-stream; charset=utf-8', NOT_KEPT, await live.admit(query.ticket, now)),
    }),
    row({
      id: 'pullEvents',
      method: 'GET',
      path: '/v1/events/pull',
      summary:
        'Events of the last 24 hours, each at least once, in an order that misses none; ask again with `next`. Agents get those of chats that they see, that a chat was taken from them, and whether devices are online. Of the events that a webhook has to name, only `chat.assigned` and `session.passkey` are here whether or not one does',
      access: 'bearer',
      query: Joi.object<PullQuery>({
        after: Joi.string()
          .pattern(/^\d{1,15}\.evt_[0-9A-HJKMNP-TV-Z]{26}$/)
          .description('`next` of the answer before; without it: from the oldest'),
        limit: Joi.number().integer().min(1).max(200).default(50).description('Events a page'),
      }),
      status: 200,
      returns: Joi.object<Pulled>({
        events: Joi.array().items(EventSchema).required(),
        next: Joi.string().allow(null).required().description('Pass it as `after`; null: nothing happened yet'),
      }),
      run: pull,
    }),
  ],
};

function viewerOf({ tenantId, role, agentId, family, key }: Caller): Viewer {
  return { tenantId, role, agentId, family, keyId: key?.id ?? null, sessionIds: key?.sessionIds ?? null };
}

async function pull(world: EventsWorld, { caller, query, now }: Call<unknown, PullQuery, unknown>): Promise<Pulled> {
  const { after, limit } = query;
  const sessionIds = caller.key?.sessionIds ?? null;
  let place = after === undefined ? null : placeIn(after);
  for (let looks = 1; ; looks += 1) {
    const rows = await world.eventOrder.read(caller.tenantId, { after: place, sessionIds, limit, now });
    const shown = caller.role === 'agent' ? await eventsInSight(world.assigneeOf, viewerOf(caller), rows) : rows;
    const last = rows.at(-1);
    if (last) place = { batch: last.batch, id: last._id };
    // An agent may see nothing of a whole page: that is no reason to be told of nothing.
    if (shown.length > 0 || rows.length < limit || looks === MOST_LOOKS) return { events: shown.map(bodyOf), next: place && textOf(place) };
  }
}

const textOf = ({ batch, id }: Place): string => `${batch}.${id}`;

function placeIn(after: string): Place {
  const dot = after.indexOf('.');
  return { batch: Number(after.slice(0, dot)), id: after.slice(dot + 1) };
}
