import { withConsent } from '../actors/consent/withhold.ts';
import { pacingIn } from '../actors/device/pace.ts';
import type { DevicePorts } from '../actors/device/ports.ts';
import type { DeviceCommand, Pacing } from '../actors/device/protocol.ts';
import { createRemoval } from '../actors/device/removal.ts';
import { deviceKind } from '../actors/device/spawn.ts';
import { pastChats } from '../actors/inbox/past-chats.ts';
import { readElsewhere } from '../actors/inbox/read-elsewhere.ts';
import { messageFiles } from '../actors/media/message-files.ts';
import { sealedKeyrings } from '../actors/secrets/sealed-keyrings.ts';
import { PLATFORM } from '../actors/sender.ts';
import { settingsOf } from '../actors/settings.ts';
import { leased } from '../runtime/cluster/leased.ts';
import type { DeviceRow } from '../store/devices.ts';
import { keyringsIn } from '../store/keyrings.ts';
import { leftFilesIn } from '../store/left-files.ts';
import { queueIn } from '../store/queue.ts';
import type { Ground } from './start-ground.ts';
import type { PeopleWorld } from './start-people.ts';

/** The phones' own side of a node. */
export interface DeviceWorld {
  /** Takes a device's row away, once its end is told. */
  removeDevice(device: DeviceRow): Promise<void>;
  /** The tenant's settings changed: running devices hear their new pace, on every node. */
  paceChanged(tenantId: string): void;
}

export interface DeviceParts extends PeopleWorld, Pick<DevicePorts, 'followUps' | 'tell' | 'record'> {}

/** New settings of a tenant, for its devices on every node. */
const PACE = 'device.pace';
const AT_ONCE: Pacing = { minDelayMs: 0, maxDelayMs: 0 };

export function startDevices(ground: Ground, parts: DeviceParts): DeviceWorld {
  const { config, clock, log, store, sealer, cluster, actors, everywhere, media, devices, messages, chats, tenants, consents } = ground;
  const keyrings = sealedKeyrings(keyringsIn(store), sealer);
  const pacingOf = async (tenantId: string): Promise<Pacing> => {
    const tenant = tenantId === PLATFORM ? null : await tenants.find(tenantId);
    return tenant ? pacingIn(settingsOf(tenant)) : AT_ONCE;
  };
  const { kind, gone } = leased(
    deviceKind({
      ...ground,
      ...parts,
      keyrings,
      messages: withConsent(messages, { consents }),
      queue: queueIn(store),
      files: messageFiles(media),
      gate: ground.loginGate,
      node: config.node_id,
      pacingOf,
      rememberChats: pastChats({ chats, messages }, () => clock.now()),
      readElsewhere: readElsewhere({ chats, messages, people: parts.people }, () => clock.now()),
      leftFiles: leftFilesIn(store),
    }),
    cluster.leases,
  );
  actors.register(kind);
  const here = (id: string) => actors.ref<DeviceCommand>('device', id);
  everywhere.add({
    kind: 'device',
    rest: async (id, must, timeoutMs) => void (await here(id).ask({ type: 'drain', must }, timeoutMs)),
    gone,
  });
  cluster.wire.onBroadcast(PACE, (body) => {
    const { tenantId, pacing } = body as { tenantId: string; pacing: Pacing };
    for (const id of actors.awake('device')) if (id.startsWith(`${tenantId}.`)) here(id).tell({ type: 'pace', pacing });
  });

  return {
    removeDevice: createRemoval({ devices, keyrings, tell: parts.tell, clock }),
    paceChanged(tenantId) {
      pacingOf(tenantId)
        .then((pacing) => cluster.wire.broadcast(PACE, { tenantId, pacing }))
        .catch((cause) => log.warn({ err: cause, tenant: tenantId }, 'new settings reach running devices only when they wake again'));
    },
  };
}
