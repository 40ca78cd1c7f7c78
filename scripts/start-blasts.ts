import type { Logger } from 'pino';
import { type Audiences, createAudiences } from '../actors/blast/audiences.ts';
import { keepRecipients } from '../actors/blast/follow-recipients.ts';
import type { BlastCommand } from '../actors/blast/protocol.ts';
import { createRoutes } from '../actors/blast/routes.ts';
import { type BlastKind, blastActorId, blastKind } from '../actors/blast/spawn.ts';
import type { AudiencePorts } from '../actors/crm/audience.ts';
import type { FollowUp } from '../actors/follow-ups.ts';
import { planOf } from '../actors/plans.ts';
import type { Quota } from '../actors/sending.ts';
import type { Live } from '../actors/stream/live.ts';
import type { ActorRef } from '../runtime/actor.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ClusterActors } from '../runtime/cluster/actors.ts';
import { leased } from '../runtime/cluster/leased.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import type { Wanted } from '../runtime/cluster/steward.ts';
import type { ActorSystem } from '../runtime/system.ts';
import { blastMessagesIn } from '../store/blast-messages.ts';
import { type Recipients, recipientsIn } from '../store/blast-recipients.ts';
import { type BlastRow, type Blasts, blastsIn } from '../store/blasts.ts';
import type { Store } from '../store/collection.ts';
import { consentConfigsIn } from '../store/consent-configs.ts';
import { consentsIn } from '../store/consents.ts';
import type { DeviceRow, Devices } from '../store/devices.ts';
import { rotatorsIn } from '../store/rotators.ts';
import type { Tenants } from '../store/tenants.ts';
import type { Config } from './config.ts';

/** Campaigns and what runs them. */
export interface BlastWorld {
  readonly blasts: Blasts;
  readonly recipients: Recipients;
  readonly audiences: Audiences;
  blast(row: Pick<BlastRow, 'tenant_id' | '_id'>): ActorRef<BlastCommand>;
  /** Writes what becomes of messages to the recipients of their campaign. */
  readonly followRecipients: FollowUp;
  /** Something that the tenant's running campaigns depend on changed. */
  blastsChanged(tenantId: string): void;
  /** Campaigns with something to do, for the steward. */
  wantedBlasts(): Promise<readonly Wanted[]>;
}

export interface BlastParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly devices: Devices;
  readonly tenants: Tenants;
  readonly crm: AudiencePorts;
  readonly quota: Quota;
  readonly live: Live;
  hintDevice(device: DeviceRow): void;
}

/** Of a device's connection. */
const WEIGHT = 1;
const MOST_DUE = 1_000;
/** Its actor is awake before a campaign begins or its window opens, so that it is on time. */
const AHEAD_MS = 60_000;

export function startBlasts(parts: BlastParts): BlastWorld {
  const { config, clock, log, store, cluster, actors, everywhere, devices, tenants, crm, quota, live, hintDevice } = parts;
  const blasts = blastsIn(store);
  const recipients = recipientsIn(store);
  const consents = consentsIn(store);
  const consentConfigs = consentConfigsIn(store);
  const rotators = rotatorsIn(store);
  const audiences = createAudiences(crm);
  const { kind, gone } = leased(
    blastKind({
      blasts,
      recipients,
      blastMessages: blastMessagesIn(store),
      tenants,
      routes: createRoutes(devices, async (tenantId, id) => (await rotators.find(tenantId, id))?.session_ids ?? []),
      quota,
      live,
      clock,
      log,
      node: config.node_id,
      audiences,
      hint: hintDevice,
      requiresAttestation: async (tenantId) => (await consentConfigs.find(tenantId))?.config.require_attestation ?? false,
      planOf: async (tenantId) => planOf(config.plans, (await tenants.find(tenantId))?.plan ?? ''),
      async optedOut(tenantId, phones) {
        const statuses = await consents.statusOf(tenantId, phones);
        return new Set([...statuses].filter(([, status]) => status === 'opted_out').map(([phone]) => phone));
      },
    }) satisfies BlastKind,
    cluster.leases,
  );
  actors.register(kind);
  const here = (id: string): ActorRef<BlastCommand> => actors.ref('blast', id);
  everywhere.add({
    kind: 'blast',
    rest: async (id, _must, timeoutMs) => void (await here(id).ask({ type: 'rest' }, timeoutMs)),
    gone,
  });
  const blast: BlastWorld['blast'] = (row) => everywhere.ref('blast', blastActorId(row));

  /** A full mailbox looks soon anyway. */
  function look(row: Pick<BlastRow, 'tenant_id' | '_id'>): void {
    try {
      blast(row).tell({ type: 'look' });
    } catch {
      // Refused: see above.
    }
  }

  return {
    blasts,
    recipients,
    audiences,
    blast,
    followRecipients: keepRecipients(recipients, (tenant_id, _id) => look({ tenant_id, _id })),

    blastsChanged(tenant_id) {
      blasts
        .hurry(tenant_id, clock.now())
        .then((running) => running.forEach(({ _id }) => void look({ tenant_id, _id })))
        .catch((cause) => log.warn({ err: cause, tenant: tenant_id }, 'campaigns hear of new settings only when they look again'));
    },

    async wantedBlasts() {
      const due = await blasts.due(clock.now() + AHEAD_MS, MOST_DUE);
      return due.map((row) => ({ kind: 'blast', id: blastActorId(row), weight: WEIGHT, pinned: null, movable: true }));
    },
  };
}
