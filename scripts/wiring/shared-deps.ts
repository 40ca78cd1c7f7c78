import type { Logger } from 'pino';
import { deviceActorId } from '../../actors/device/actor-id.ts';
import { LoginRateLimiter } from '../../actors/device/effects/login-rate-limiter.ts';
import type { DeviceCommand } from '../../actors/device/protocol.ts';
import type { Network } from '../../actors/network/port.ts';
import { PLATFORM } from '../../actors/services/accounts/platform-sender.ts';
import type { AuditTrail } from '../../actors/services/audit/audit-trail.ts';
import type { Converter } from '../../actors/services/media/convert/converter.ts';
import type { DerivedLibrary } from '../../actors/services/media/derived-library.ts';
import type { MediaLibrary } from '../../actors/services/media/library.ts';
import type { PreparedFiles } from '../../actors/services/media/prepared-files.ts';
import type { Quota } from '../../actors/services/messaging/quota.ts';
import { QuotaCache } from '../../actors/services/messaging/quota-cache.ts';
import { createSending, type Sending } from '../../actors/services/messaging/sending.ts';
import type { UnknownCounts } from '../../actors/services/network-unknown/network-unknown.ts';
import { createReplyLimit, type ReplyLimit } from '../../actors/services/official/reply-limit.ts';
import type { Limits } from '../../http/limits/limits.ts';
import type { ActorRef } from '../../runtime/actor-system/actor.ts';
import type { Tagged } from '../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../runtime/actor-system/system.ts';
import type { ChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ClusterActors } from '../../runtime/cluster/cluster-actors.ts';
import type { Cluster } from '../../runtime/cluster/port.ts';
import type { Egress } from '../../runtime/egress/egress.ts';
import { before } from '../../runtime/invariant.ts';
import type { Random } from '../../runtime/random.ts';
import type { Sealer } from '../../runtime/sealing/seal.ts';
import { type Tenants, tenantsIn } from '../../store/accounts/tenants.ts';
import { type Usage, usageIn } from '../../store/accounts/usage.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import { type Consents, consentsIn } from '../../store/consent/consents.ts';
import { type Chats, chatsIn } from '../../store/conversations/chats.ts';
import { type DeviceDays, deviceDaysIn } from '../../store/devices/device-days.ts';
import { type DeviceDirectory, deviceDirectoryIn } from '../../store/devices/device-directory.ts';
import { type DeviceRow, type Devices, devicesIn } from '../../store/devices/devices.ts';
import { officialMonthsIn } from '../../store/devices/official-months.ts';
import type { MediaBytes } from '../../store/media/media.ts';
import { type Messages, messagesIn } from '../../store/messaging/messages.ts';
import type { Store } from '../../store/port.ts';
import { type ClientBuildServices, startClientBuilds } from './client-builds.ts';
import type { Config } from './config.ts';
import { countedSending, type Meters, watchedDevices } from './metrics/meters.ts';

export interface ActorParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly store: Store;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly media: MediaLibrary & PreparedFiles;
  readonly derived: DerivedLibrary;
  readonly converter: Converter;
  readonly bytes: MediaBytes;
  readonly audit: AuditTrail;
  readonly auditLog: AuditLog;
  readonly meters: Meters;
  readonly limits: Pick<Limits, 'take'>;
  readonly unknown: UnknownCounts;
  readonly sealer: Sealer;
  readonly children: ChildProcesses;
  readonly outside?: Egress;
}

type Addressed = Pick<DeviceRow, '_id' | 'tenant_id'>;

export interface SharedDeps extends ActorParts, ClientBuildServices {
  readonly devices: Devices;
  readonly deviceDirectory: DeviceDirectory;
  readonly messages: Messages;
  readonly chats: Chats;
  readonly tenants: Tenants;
  readonly usage: Usage;
  readonly consents: Consents;
  readonly days: DeviceDays;
  readonly loginRateLimiter: LoginRateLimiter;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly quota: Quota;
  readonly replyLimit: ReplyLimit;
  readonly sending: Sending;
  device(row: Addressed): ActorRef<DeviceCommand>;
  hintDevice(row: Addressed): void;
  /** Like `hintDevice`, but wakes the device if it is not running on any node. */
  wakeDevice(row: Addressed): void;
}

export function openSharedDeps(parts: ActorParts): SharedDeps {
  const { config, clock, log, store, cluster, meters } = parts;
  const messages = messagesIn(store);
  const usage = usageIn(store);
  const actors = new ActorSystem(clock, {
    onFailure: (kind, id, cause) => log.error({ event: 'actor.failed', err: cause, kind, actor: id }, 'an actor failed'),
    onEscalate: (kind, id, cause) =>
      log.fatal({ event: 'actor.given_up', err: cause, kind, actor: id }, 'an actor was stopped after repeated failures'),
  });
  const everywhere = new ClusterActors(actors, cluster, clock, {
    lost: (kind) => meters.leasesLost.add(kind),
    handedOver: (kind) => meters.handOvers.add(kind),
    shareOf,
  });
  const buildServices = startClientBuilds({ ...parts, actors });
  const deviceRef = (row: Addressed, wakes: boolean): ActorRef<DeviceCommand> =>
    everywhere.ref('device', deviceActorId(row.tenant_id, row._id), wakes);
  const device = (row: Addressed): ActorRef<DeviceCommand> => deviceRef(row, false);
  const hintDevice = (row: Addressed, id?: string): void => hint(device(row), id === undefined ? {} : { id });
  const counted = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  const replyLimit = createReplyLimit(officialMonthsIn(store));
  const isAlone = store.name === 'embedded' && cluster.name === 'local';
  const quota = isAlone ? new QuotaCache(counted) : counted;
  return {
    ...parts,
    ...buildServices,
    devices: watchedDevices(devicesIn(store), meters),
    deviceDirectory: deviceDirectoryIn(store),
    messages,
    chats: chatsIn(store),
    tenants: tenantsIn(store),
    usage,
    consents: consentsIn(store, (tenantId, subject) => parts.sealer.keyedHash(tenantId, subject)),
    days: deviceDaysIn(store),
    loginRateLimiter: new LoginRateLimiter(clock, config.logins_per_second),
    actors,
    everywhere,
    quota,
    replyLimit,
    sending: countedSending(
      createSending({
        ...{ messages, quota, queueLimit: config.queue_limit, hint: hintDevice },
        mayReply: replyLimit.admits,
        // Set only on a single node, where the device runs in this process and writes have a known
        // order.
        ...(isAlone && { hintAhead: (row, ahead) => hint(device(row), { ahead }) }),
      }),
      meters,
    ),
    device,
    hintDevice,
    wakeDevice: (row) => hint(deviceRef(row, true), {}),
  };
}

/**
 * The tenant whose share of the requests between nodes is used. Null, and so without this limit,
 * for the platform's own actors, and for `retire`, because it is not retried if it fails.
 */
function shareOf(actorId: string, { type }: Tagged): string | null {
  const owner = before(actorId, '.');
  return owner === PLATFORM || type === ('retire' satisfies DeviceCommand['type']) ? null : owner;
}

function hint(device: ActorRef<DeviceCommand>, what: Omit<Extract<DeviceCommand, { type: 'workArrived' }>, 'type'>): void {
  try {
    device.tell({ type: 'workArrived', ...what });
  } catch {
    // The device's mailbox is full. The device will find the rows in the store.
  }
}
