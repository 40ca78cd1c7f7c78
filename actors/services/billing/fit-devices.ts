import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { DeviceCommand } from '../../device/protocol.ts';

export interface FitDevicesDeps {
  readonly devices: Pick<Devices, 'list' | 'pause' | 'find'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

/** If the device does not respond in time, its row decides whether it is online. */
const ASK_MS = 5_000;
const MAX_ASKED = 8;

/** Pauses the newest devices beyond the limit. Rejects only after it has commanded all devices. */
export async function fitDevices(deps: FitDevicesDeps, tenantId: string, room: number): Promise<void> {
  const oldestFirst = (await deps.devices.list(tenantId, null)).toReversed();
  const fits = oldestFirst.slice(0, room).filter(({ paused }) => paused);
  const beyond = oldestFirst.slice(room).toReversed();
  const failures = [
    ...(await failuresOf(beyond, (device) => pause(deps, device))),
    ...(await failuresOf(fits, (device) => resume(deps, device))),
  ];
  if (failures.length > 0) throw failures[0];
}

async function failuresOf(devices: readonly DeviceRow[], fit: (device: DeviceRow) => Promise<void>): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const rest = devices.values();
  const fitNext = async (): Promise<void> => {
    for (const device of rest) await fit(device).catch((cause: unknown) => failures.push(cause));
  };
  await Promise.all(Array.from({ length: MAX_ASKED }, fitNext));
  return failures;
}

async function pause(deps: FitDevicesDeps, device: DeviceRow): Promise<void> {
  await deps.devices.pause(device.tenant_id, device._id, { wanted: device.wanted });
  const now = await deps.devices.find(device.tenant_id, device._id);
  if (now?.wanted) await deps.device(device).ask({ type: 'disconnect' }, ASK_MS);
}

async function resume(deps: FitDevicesDeps, device: DeviceRow): Promise<void> {
  // Clear `paused` only after telling the device to connect, so that a retry connects it, too.
  const now = await deps.devices.find(device.tenant_id, device._id);
  if (now?.paused?.wanted) await deps.device(device).ask({ type: 'connect' }, ASK_MS);
  await deps.devices.pause(device.tenant_id, device._id, null);
}
