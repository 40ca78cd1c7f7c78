import type { Logger } from 'pino';
import type { DevicePorts } from '../actors/device/ports.ts';
import { createEgress, type Egress } from '../actors/egress/egress.ts';
import { createEventLog, type EventLog } from '../actors/events/event-log.ts';
import { eventOfHappening } from '../actors/events/session-events.ts';
import { Courier } from '../actors/tenant/courier.ts';
import type { TenantPorts } from '../actors/tenant/hands.ts';
import { createTenantHints, type TenantHints } from '../actors/tenant/hints.ts';
import type { TenantCommand } from '../actors/tenant/protocol.ts';
import { tenantKind } from '../actors/tenant/spawn.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ClusterActors } from '../runtime/cluster/actors.ts';
import { leased } from '../runtime/cluster/leased.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import type { Wanted } from '../runtime/cluster/steward.ts';
import type { ActorSystem } from '../runtime/system.ts';
import { type Agenda, agendaIn } from '../store/agenda.ts';
import type { Store } from '../store/collection.ts';
import { type Deliveries, deliveriesIn } from '../store/deliveries.ts';
import type { Devices } from '../store/devices.ts';
import { type Events, eventsIn } from '../store/events.ts';
import { type Webhooks, webhooksIn } from '../store/webhooks.ts';
import type { Config } from './config.ts';

/** Events and what tenants' actors do with them. */
export interface TenantWorld {
  readonly agenda: Agenda;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  /** Where what happens is recorded; streams and pushes hear of it here. */
  readonly eventLog: EventLog;
  /** The way out for every request to an address that somebody chose. */
  readonly egress: Egress;
  readonly tenantHints: TenantHints;
  /** Records what happened to a device, and lets its tenant's actor see to the alert when it stays offline. */
  readonly tell: DevicePorts['tell'];
  /** Tenants with something to do, for the steward. */
  wantedTenants(): Promise<readonly Wanted[]>;
  /** Gives every tenant away once its requests have ended, or after `timeoutMs`, and closes connections. */
  leaveTenants(timeoutMs: number): Promise<void>;
}

export interface TenantParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly devices: Devices;
  /** Sends what a tenant's time has come for. */
  readonly release: TenantPorts['release'];
}

/** Of a device's connection: it comes and goes with its work. */
const WEIGHT = 0.1;
/** Its actor is awake before something is due, so that it is done at its time and not when somebody looks next. */
const AHEAD_MS = 60_000;

export function startTenants({ config, clock, log, store, cluster, actors, everywhere, devices, release }: TenantParts): TenantWorld {
  const agenda = agendaIn(store);
  const events = eventsIn(store);
  const webhooks = webhooksIn(store);
  const deliveries = deliveriesIn(store);
  const egress = createEgress({ allow: config.egress_allow, clock });
  const courier = new Courier({ dispatcher: egress.dispatcher, clock });
  const tenantHints = createTenantHints((tenantId) => everywhere.ref<TenantCommand>('tenant', tenantId));
  const eventLog = createEventLog({ events, webhooks, agenda, clock, hint: tenantHints.eventsArrived });
  const { kind, gone } = leased(
    tenantKind({ events, webhooks, deliveries, agenda, devices, eventLog, courier, release, clock, log, node: config.node_id }),
    cluster.leases,
  );
  actors.register(kind);
  everywhere.add({
    kind: 'tenant',
    rest: async (id, _must, timeoutMs) => void (await actors.ref<TenantCommand>('tenant', id).ask({ type: 'rest' }, timeoutMs)),
    gone,
  });

  return {
    agenda,
    events,
    webhooks,
    deliveries,
    eventLog,
    egress,
    tenantHints,

    async tell({ tenantId, sessionId }, happenings) {
      const drafts = happenings.map((happening) => eventOfHappening(sessionId, happening));
      await eventLog.record(tenantId, drafts);
      if (!happenings.some(({ type }) => type === 'disconnected')) return;
      await agenda.put(tenantId, clock.now());
      tenantHints.eventsArrived(tenantId);
    },

    async wantedTenants() {
      const due = await agenda.due(clock.now() + AHEAD_MS);
      return due.map((id) => ({ kind: 'tenant', id, weight: WEIGHT, pinned: null, movable: true }));
    },

    async leaveTenants(timeoutMs) {
      await everywhere.giveAway('tenant', timeoutMs);
      courier.close();
      await egress.close();
    },
  };
}
