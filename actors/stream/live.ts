import type { Clock } from '../../runtime/clock.ts';
import type { Cluster } from '../../runtime/cluster/port.ts';
import { newId } from '../../runtime/ids.ts';
import type { Tickets } from '../../store/tickets.ts';
import type { EventLog } from '../events/event-log.ts';
import { bodyOf } from '../events/types.ts';
import { refusal } from '../refusals.ts';
import { type AttendancePorts, noteAttendance } from './attendance.ts';
import { Hub, type HubOptions, type Outlet } from './hub.ts';
import { type Line, toLine } from './line.ts';
import { Seats } from './seats.ts';
import type { Viewer } from './sight.ts';
import { inGoodStanding, type StandingPorts, Watch } from './standing.ts';
import { issueTicket, redeemTicket } from './tickets.ts';
import type { StreamOnly } from './types.ts';

export interface LivePorts extends StandingPorts, AttendancePorts, Omit<HubOptions, 'clock'> {
  readonly tickets: Tickets;
  readonly eventLog: Pick<EventLog, 'onNew'>;
  readonly cluster: Pick<Cluster, 'name' | 'self' | 'wire' | 'counting'>;
  readonly clock: Clock;
  readonly agents: StandingPorts['agents'] & AttendancePorts['agents'];
  /** Standings could not be looked at, or other nodes not told of events. */
  failed(cause: unknown): void;
}

/** The live stream (spec.md part 6): a reader hears of what happens to its tenant on any node, on whichever node it reads. */
export interface Live {
  /** A ticket for one stream. */
  ticket(viewer: Viewer, now: number): Promise<string>;
  /** Rejects with Refusal UNAUTHORIZED (bad ticket, or the login, key or tenant ended meanwhile) or RATE_LIMITED. The ticket is used up. */
  admit(ticket: string, now: number): Promise<(outlet: Outlet) => void>;
  /** Tells readers of something that is not recorded; `sessionId` is the device that does it, null: none. */
  emit(tenantId: string, sessionId: string | null, event: StreamOnly): void;
  /** A login, key or the tenant itself ended or changed: its readers on every node are looked at. */
  standingChanged(tenantId: string): void;
  /** Hears of that on every node, this one included. */
  onStandingChanged(hear: (tenantId: string) => void): void;
  /** Streams that are open on this node. */
  readonly size: number;
  close(): void;
}

const EVENTS = 'stream.events';
const STANDING = 'stream.standing';
/** A message between nodes holds 1 MiB at most; in JSON a frame grows by its quotes. */
const MOST_CHARACTERS = 128 * 1024;

export function createLive(ports: LivePorts): Live {
  const { cluster, clock, tickets, eventLog, failed } = ports;
  const { wire } = cluster;
  const hub = new Hub(ports);
  const watch = new Watch(hub, ports, failed);
  const stopNoting = noteAttendance(hub, ports);
  const seats = new Seats({ ...ports, counting: cluster.counting });
  const isAlone = cluster.name === 'local';
  let abroad: Line[] = [];

  function publish(lines: readonly Line[]): void {
    hub.add(lines);
    if (isAlone || lines.length === 0) return;
    if (abroad.length === 0) setImmediate(sendAbroad);
    abroad.push(...lines);
  }

  function sendAbroad(): void {
    const turn = abroad;
    abroad = [];
    for (const part of inParts(turn)) {
      try {
        wire.broadcast(EVENTS, part);
      } catch (cause) {
        failed(cause);
      }
    }
  }

  eventLog.onNew((events) => {
    const heard = isAlone ? events.filter(({ tenant_id }) => hub.has(tenant_id)) : events;
    publish(heard.map((event) => toLine(event.tenant_id, bodyOf(event))));
  });
  wire.onBroadcast(EVENTS, (body, from) => {
    if (from !== cluster.self.id) hub.add(body as readonly Line[]);
  });
  wire.onBroadcast(STANDING, (body) => void watch.look(String(body)));

  return {
    ticket: (viewer, now) => issueTicket(tickets, viewer, now),

    async admit(ticket, now) {
      const viewer = await redeemTicket(tickets, ticket, now);
      hub.expectRoom(viewer.tenantId);
      if ((await inGoodStanding(ports, [viewer])).size === 0) throw refusal('UNAUTHORIZED');
      const keepSeat = await seats.take(viewer.tenantId);
      return (outlet) => {
        keepSeat(outlet);
        hub.open(viewer, outlet);
      };
    },

    emit(tenantId, sessionId, { type, data }) {
      const now = clock.now();
      publish([toLine(tenantId, { id: `evt_${newId(now)}`, type, session_id: sessionId, occurred_at: now, data })]);
    },

    standingChanged: (tenantId) => wire.broadcast(STANDING, tenantId),
    onStandingChanged: (hear) => wire.onBroadcast(STANDING, (body) => hear(String(body))),

    get size() {
      return hub.size;
    },

    close() {
      watch.end();
      seats.close();
      stopNoting();
      hub.close();
    },
  };
}

function inParts(lines: readonly Line[]): readonly (readonly Line[])[] {
  const parts: Line[][] = [[]];
  let characters = 0;
  for (const line of lines) {
    characters += line.frame.length;
    if (characters > MOST_CHARACTERS && parts.at(-1)!.length > 0) {
      parts.push([]);
      characters = line.frame.length;
    }
    parts.at(-1)!.push(line);
  }
  return parts;
}
