import type { Logger } from 'pino';
import { LoginGate } from '../actors/device/login-gate.ts';
import type { DeviceCommand, Pacing } from '../actors/device/protocol.ts';
import { deviceActorId, deviceKind } from '../actors/device/spawn.ts';
import type { Network } from '../actors/network/port.ts';
import { createSender, PLATFORM, type Sender } from '../actors/sender.ts';
import { createSending, type Sending } from '../actors/sending.ts';
import { settingsOf } from '../actors/settings.ts';
import type { ActorRef } from '../runtime/actor.ts';
import type { Chance } from '../runtime/chance.ts';
import type { Clock } from '../runtime/clock.ts';
import { ActorSystem } from '../runtime/system.ts';
import type { Store } from '../store/collection.ts';
import { type DeviceRow, type Devices, devicesIn } from '../store/devices.ts';
import { type Messages, messagesIn } from '../store/messages.ts';
import { type Tenants, tenantsIn } from '../store/tenants.ts';
import { type Usage, usageIn } from '../store/usage.ts';
import type { Config } from './config.ts';

type Addressed = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** The behaving part of a node and the repositories that it shares with HTTP. */
export interface ActorWorld {
  readonly actors: ActorSystem;
  readonly devices: Devices;
  readonly messages: Messages;
  readonly tenants: Tenants;
  readonly usage: Usage;
  readonly sending: Sending;
  readonly sender: Sender;
  readonly loginGate: LoginGate;
  device(row: Addressed): ActorRef<DeviceCommand>;
  /** Brings online what should be. */
  wakeWanted(): Promise<void>;
  /** The tenant's settings changed: running devices hear their new pace. */
  settingsChanged(tenantId: string): void;
  /** Takes every device offline once its acks are in, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
}

export interface ActorParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Logger;
  readonly store: Store;
  readonly network: Network;
}

const AT_ONCE: Pacing = { minDelayMs: 0, maxDelayMs: 0 };

export function startActors({ config, clock, chance, log, store, network }: ActorParts): ActorWorld {
  const devices = devicesIn(store);
  const messages = messagesIn(store);
  const tenants = tenantsIn(store);
  const usage = usageIn(store);
  const loginGate = new LoginGate(clock, config.logins_per_second);
  const actors = new ActorSystem(clock, {
    onFailure: (kind, id, cause) => log.error({ err: cause, kind, actor: id }, 'an actor failed'),
    onEscalate: (kind, id, cause) => log.fatal({ err: cause, kind, actor: id }, 'an actor was given up'),
  });
  const pacingOf = async (tenantId: string): Promise<Pacing> => {
    const tenant = tenantId === PLATFORM ? null : await tenants.find(tenantId);
    if (!tenant) return AT_ONCE;
    const { pacing } = settingsOf(tenant);
    return { minDelayMs: pacing.min_delay_ms, maxDelayMs: pacing.max_delay_ms };
  };
  actors.register(deviceKind({ network, devices, messages, gate: loginGate, clock, chance, log, node: config.node_id, pacingOf }));

  const device = (row: Addressed): ActorRef<DeviceCommand> => actors.ref('device', deviceActorId(row.tenant_id, row._id));
  const sending = createSending({
    messages,
    quota: { take: usage.takeMessages, used: usage.messages },
    queueLimit: config.queue_limit,
    hint: (row) => hint(device(row)),
  });
  const sender = createSender({ devices, device, now: () => clock.now() });

  return {
    actors,
    devices,
    messages,
    tenants,
    usage,
    sending,
    sender,
    loginGate,
    device,

    async wakeWanted() {
      for (const row of await devices.wanted()) hint(device(row));
    },

    settingsChanged(tenantId) {
      pacingOf(tenantId)
        .then((pacing) => {
          for (const id of actors.awake('device')) {
            if (id.startsWith(`${tenantId}.`)) actors.ref<DeviceCommand>('device', id).tell({ type: 'pace', pacing });
          }
        })
        .catch((cause) => log.warn({ err: cause, tenant: tenantId }, 'new settings reach running devices only when they wake again'));
    },

    async drain(timeoutMs) {
      const drained = actors.awake('device').map((id) => actors.ref<DeviceCommand>('device', id).ask({ type: 'drain' }, timeoutMs));
      const late = (await Promise.allSettled(drained)).filter(({ status }) => status === 'rejected').length;
      if (late > 0) log.warn({ devices: late }, 'devices left with messages of unknown outcome; they are sent again under the same ids');
    },
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
