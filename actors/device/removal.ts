import type { Clock } from '../../runtime/clock.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';
import type { DevicePorts } from './hands.ts';

export interface RemovalPorts {
  readonly devices: Pick<Devices, 'depart' | 'remove'>;
  readonly tell: DevicePorts['tell'];
  readonly clock: Clock;
}

/** Takes a device's row away. Those who listen hear of its end first: a process that dies in between leaves a device that failed, to be removed again. */
export function createRemoval({ devices, tell, clock }: RemovalPorts): (device: DeviceRow) => Promise<void> {
  return async ({ tenant_id: tenantId, _id: sessionId }) => {
    const gone = await devices.depart(tenantId, sessionId, clock.now());
    if (!gone) return;
    await tell({ tenantId, sessionId, epoch: gone.epoch }, gone.happenings ?? []);
    await devices.remove(tenantId, sessionId);
  };
}
