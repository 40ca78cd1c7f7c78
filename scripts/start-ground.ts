import type { Logger } from 'pino';
import { LoginGate } from '../actors/device/login-gate.ts';
import type { DeviceCommand } from '../actors/device/protocol.ts';
import { deviceActorId } from '../actors/device/spawn.ts';
import type { MediaLibrary } from '../actors/media/library.ts';
import type { Network } from '../actors/network/port.ts';
import type { Sealer } from '../actors/secrets/seal.ts';
import { createSending, type Quota, type Sending } from '../actors/sending.ts';
import type { ActorRef } from '../runtime/actor.ts';
import type { Chance } from '../runtime/chance.ts';
import type { Clock } from '../runtime/clock.ts';
import { ClusterActors } from '../runtime/cluster/actors.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import { ActorSystem } from '../runtime/system.ts';
import { type Chats, chatsIn } from '../store/chats.ts';
import type { Store } from '../store/collection.ts';
import { type Consents, consentsIn } from '../store/consents.ts';
import { type DeviceDays, deviceDaysIn } from '../store/device-days.ts';
import { type DeviceRow, type Devices, devicesIn } from '../store/devices.ts';
import { type Fleet, fleetIn } from '../store/fleet.ts';
import { type Messages, messagesIn } from '../store/messages.ts';
import { type Tenants, tenantsIn } from '../store/tenants.ts';
import { type Usage, usageIn } from '../store/usage.ts';
import type { Config } from './config.ts';

export interface ActorParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Logger;
  readonly store: Store;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly media: MediaLibrary;
  /** For what devices log in with. */
  readonly sealer: Sealer;
}

type Addressed = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** What every feature of a node stands on: the shared repositories, the actors, and the way to a device. */
export interface Ground extends ActorParts {
  readonly devices: Devices;
  readonly fleet: Fleet;
  readonly messages: Messages;
  readonly chats: Chats;
  readonly tenants: Tenants;
  readonly usage: Usage;
  readonly consents: Consents;
  readonly days: DeviceDays;
  readonly loginGate: LoginGate;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly quota: Quota;
  readonly sending: Sending;
  device(row: Addressed): ActorRef<DeviceCommand>;
  /** Rows wait for this device. */
  hintDevice(row: Addressed): void;
}

export function startGround(parts: ActorParts): Ground {
  const { config, clock, log, store, cluster } = parts;
  const messages = messagesIn(store);
  const usage = usageIn(store);
  const actors = new ActorSystem(clock, {
    onFailure: (kind, id, cause) => log.error({ err: cause, kind, actor: id }, 'an actor failed'),
    onEscalate: (kind, id, cause) => log.fatal({ err: cause, kind, actor: id }, 'an actor was given up'),
  });
  const everywhere = new ClusterActors(actors, cluster, clock);
  const device = (row: Addressed): ActorRef<DeviceCommand> => everywhere.ref('device', deviceActorId(row.tenant_id, row._id));
  const hintDevice = (row: Addressed): void => hint(device(row));
  const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  return {
    ...parts,
    devices: devicesIn(store),
    fleet: fleetIn(store),
    messages,
    chats: chatsIn(store),
    tenants: tenantsIn(store),
    usage,
    consents: consentsIn(store),
    days: deviceDaysIn(store),
    loginGate: new LoginGate(clock, config.logins_per_second),
    actors,
    everywhere,
    quota,
    sending: createSending({ messages, quota, queueLimit: config.queue_limit, hint: hintDevice }),
    device,
    hintDevice,
  };
}

/** Rows wait in the store, so a full mailbox loses nothing: its device has enough to do and will find them. */
function hint(device: ActorRef<DeviceCommand>): void {
  try {
    device.tell({ type: 'workArrived' });
  } catch {
    // Refused: see above.
  }
}
