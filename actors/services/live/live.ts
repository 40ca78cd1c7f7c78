import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { Cluster } from '../../../runtime/cluster/port.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { newId } from '../../../runtime/ids.ts';
import type { Tickets } from '../../../store/accounts/stream-tickets.ts';
import type { EventInterests } from '../../../store/events/event-interests.ts';
import type { EventOrder, Position } from '../../../store/events/event-order.ts';
import { refusal } from '../../domain/refusals.ts';
import type { EventLog } from '../events/event-log.ts';
import { bodyOf, CHAT_PRESENCE, isOnlyForThoseWhoNameIt } from '../events/types.ts';
import { type AgentPresenceDeps, recordAgentPresence } from './agent-presence.ts';
import { BroadcastCheck } from './broadcast-check.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { Hub, type HubOptions, type StreamSink } from './hub.ts';
import { LogFollower } from './log-follower.ts';
import { type PresenceWatch, PresenceWatcher } from './presence-watch.ts';
import { SessionRevocation, type SessionRevocationDeps, stillAuthorized } from './session-revocation.ts';
import { type StreamEvent, toEphemeral, toStreamEvent } from './stream-event.ts';
import { issueTicket, redeemTicket } from './tickets.ts';
import type { Unrecorded } from './types.ts';
import type { TicketHolder, Viewer } from './visibility.ts';

/**
 * Serves live event streams. A caller opens a stream with a one-time ticket, or follows the event
 * log from a given position. A node broadcasts its recorded events to the streams on all nodes.
 * Invariant: a stream ends soon after its viewer loses authorization.
 */

export interface LiveDeps extends SessionRevocationDeps, AgentPresenceDeps, Omit<HubOptions, 'clock'> {
  readonly tickets: Tickets;
  readonly eventLog: Pick<EventLog, 'onNew'>;
  readonly eventOrder: EventOrder;
  readonly interests: Pick<EventInterests, 'keep'>;
  readonly cluster: Pick<Cluster, 'name' | 'self' | 'wire' | 'counting'>;
  readonly clock: Clock;
  readonly keptMs: number;
  readonly agents: SessionRevocationDeps['agents'] & AgentPresenceDeps['agents'];
  failed(cause: unknown): void;
}

export interface Live {
  ticket(viewer: TicketHolder, now: number): Promise<string>;
  /** Uses up the ticket, even if the call fails. Fails with RATE_LIMITED or UNAUTHORIZED. */
  admit(ticket: string, address: string, now: number): Promise<(sink: StreamSink) => void>;
  /** Starts after `lastEventId` or, if that has expired, at the oldest event. Null: only new events. */
  follow(viewer: Viewer, lastEventId: string | null, now: number): Promise<(sink: StreamSink) => void>;
  /** Sends an unrecorded event. `id` is a ULID that identifies it if it may be sent more than once. */
  emit(tenantId: string, sessionId: string | null, event: Unrecorded, id?: string): void;
  authorizationChanged(tenantId: string): void;
  onAuthorizationChanged(listener: (tenantId: string) => void): void;
  readonly presenceWatch: PresenceWatch;
  readonly size: number;
  close(): void;
}

const EVENTS = 'stream.events';
const STANDING = 'stream.standing';
/** Maximum length of an event. It grows in a broadcast (at most 1 MiB), where JSON escapes its quotes. */
const MAX_CHARACTERS = 128 * 1024;
const OPENINGS = 16;
const OPEN_AGAIN_MS = 5_000;
const RENEW_EVERY_MS = 3_600_000;

export function createLive(deps: LiveDeps): Live {
  const { cluster, clock, tickets, eventLog, failed } = deps;
  const { wire } = cluster;
  const hub = new Hub(deps);
  const watch = new SessionRevocation(hub, deps, failed);
  const stopNoting = recordAgentPresence(hub, deps);
  const connectionLimit = new ConnectionLimit({ ...deps, counting: cluster.counting });
  const presenceWatch = new PresenceWatcher({ ...cluster, clock });
  const isAlone = cluster.name === 'local';
  const check = isAlone ? null : new BroadcastCheck({ ...cluster, clock, lost: () => hub.dropThoseWithoutLog() });
  const opening = new FairSlots({
    slots: OPENINGS,
    share: 1,
    waiting: deps.mostPerTenant,
    full: () => refusal('RATE_LIMITED', { retryAfterMs: OPEN_AGAIN_MS, limit: deps.mostPerTenant }),
  });
  const followers = { ...deps, now: () => clock.now() };
  let abroad: StreamEvent[] = [];
  let stopRenewing: Cancel = () => {};

  function publish(lines: readonly StreamEvent[]): void {
    hub.add(lines);
    if (isAlone || lines.length === 0) return;
    if (abroad.length === 0) setImmediate(sendAbroad);
    abroad.push(...lines);
  }

  function sendAbroad(): void {
    const turn = abroad;
    abroad = [];
    for (const part of inParts(turn)) {
      check?.sending();
      try {
        wire.broadcast(EVENTS, part);
      } catch (cause) {
        failed(cause);
      }
    }
  }

  eventLog.onNew((events) => {
    const received = isAlone ? events.filter(({ tenant_id }) => hub.has(tenant_id)) : events;
    publish(received.map((event) => toStreamEvent(event.tenant_id, bodyOf(event))));
  });
  wire.onBroadcast(EVENTS, (body, from) => {
    if (from === cluster.self.id || !Array.isArray(body)) return;
    check?.received(from);
    hub.add(body);
  });
  wire.onBroadcast(STANDING, (body) => void watch.poll(String(body)));
  renewLater();

  async function keepInterest({ tenantId, events }: TicketHolder, now: number): Promise<void> {
    const named = (events ?? []).filter(isOnlyForThoseWhoNameIt);
    if (named.length > 0) await deps.interests.keep(tenantId, named, now + deps.keptMs);
  }

  function renewLater(): void {
    stopRenewing = clock.after(RENEW_EVERY_MS, () => {
      const now = clock.now();
      const named = new Map<string, Viewer>();
      for (const viewer of hub.viewers()) if (viewer.events) named.set(`${viewer.tenantId} ${viewer.events.join()}`, viewer);
      for (const viewer of named.values()) keepInterest(viewer, now).catch(failed);
      renewLater();
    });
  }

  async function admitted(viewer: Viewer, now: number): Promise<(sink: StreamSink, from?: { readonly place: Position | null }) => void> {
    hub.expectRoom(viewer.tenantId);
    if ((await stillAuthorized(deps, [viewer])).size === 0) throw refusal('UNAUTHORIZED');
    await keepInterest(viewer, now);
    const keepSeat = await connectionLimit.take(viewer.tenantId);
    return (sink, from) => {
      keepSeat(sink);
      if (viewer.events?.includes(CHAT_PRESENCE)) sink.once('close', presenceWatch.opened(viewer.tenantId));
      hub.open(viewer, sink, from && new LogFollower(followers, viewer, sink, from.place));
    };
  }

  return {
    ticket: (viewer, now) => issueTicket(tickets, viewer, now),

    async admit(ticket, address, now) {
      const open = await admitted({ ...(await redeemTicket(tickets, ticket, now)), address }, now);
      return (sink) => open(sink);
    },

    async follow(viewer, lastEventId, now) {
      const { tenantId } = viewer;
      hub.expectRoom(tenantId);
      const { eventOrder } = deps;
      const place = await opening.run(tenantId, () =>
        lastEventId === null ? eventOrder.end(tenantId) : eventOrder.placeOf(tenantId, lastEventId),
      );
      const open = await admitted(viewer, now);
      return (sink) => open(sink, { place });
    },

    emit(tenantId, sessionId, { type, data }, id) {
      const now = clock.now();
      publish([toEphemeral(tenantId, { id: `evt_${id ?? newId(now)}`, type, session_id: sessionId, occurred_at: now, data })]);
    },

    authorizationChanged: (tenantId) => wire.broadcast(STANDING, tenantId),
    onAuthorizationChanged: (listener) => wire.onBroadcast(STANDING, (body) => listener(String(body))),

    presenceWatch,

    get size() {
      return hub.size;
    },

    close() {
      watch.end();
      connectionLimit.close();
      check?.close();
      presenceWatch.close();
      stopNoting();
      stopRenewing();
      hub.close();
    },
  };
}

function inParts(lines: readonly StreamEvent[]): readonly (readonly StreamEvent[])[] {
  let part: StreamEvent[] = [];
  const parts = [part];
  let characters = 0;
  for (const line of lines) {
    characters += line.frame.length;
    if (characters > MAX_CHARACTERS && part.length > 0) {
      part = [];
      parts.push(part);
      characters = line.frame.length;
    }
    part.push(line);
  }
  return parts;
}
