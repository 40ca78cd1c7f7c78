import type { Clock } from '../../runtime/clock.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';
import type { Keyrings } from '../../store/keyrings.ts';
import type { DevicePorts } from './ports.ts';

export interface RemovalPorts {
  readonly devices: Pick<Devices, 'depart' | 'remove'>;
  readonly keyrings: Pick<Keyrings, 'destroy'>;
  readonly tell: DevicePorts['tell'];
  readonly clock: Clock;
}

/** Takes a device's row and its secrets away. Those who listen hear of its end first: a process that dies in between leaves a device that failed, to be removed again. */
export function createRemoval({ devices, keyrings, tell, clock }: RemovalPorts): (device: DeviceRow) => Promise<void> {
  return async ({ tenant_id: tenantId, _id: sessionId }) => {
    const gone = await devices.depart(tenantId, sessionId, clock.now());
    if (!gone) return;
    await tell({ tenantId, sessionId, epoch: gone.epoch }, gone.happenings ?? []);
    await keyrings.destroy({ tenantId, sessionId, epoch: gone.epoch });
    await devices.remove(tenantId, sessionId);
  };
}
