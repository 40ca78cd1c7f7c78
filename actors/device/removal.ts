import type { Clock } from '../../runtime/clock.ts';
import type { CredentialRows } from '../../store/devices/credentials.ts';
import type { DeviceRow, Devices } from '../../store/devices/devices.ts';
import type { DeviceDeps } from './effects/deps.ts';

export interface RemovalDeps {
  readonly devices: Pick<Devices, 'depart' | 'remove'>;
  readonly credentialRows: Pick<CredentialRows, 'destroy'>;
  readonly tell: DeviceDeps['tell'];
  forget(sessionId: string): Promise<void>;
  readonly clock: Clock;
}

/** Publishes session events before removing the device, so that a crash cannot lose them. */
export function createRemoval({ devices, credentialRows, tell, forget, clock }: RemovalDeps): (device: DeviceRow) => Promise<void> {
  return async ({ tenant_id: tenantId, _id: sessionId }) => {
    const gone = await devices.depart(tenantId, sessionId, clock.now());
    if (!gone) return;
    await tell({ tenantId, sessionId, epoch: gone.epoch }, gone.session_events ?? []);
    await credentialRows.destroy({ tenantId, sessionId, epoch: gone.epoch });
    await forget(sessionId);
    await devices.remove(tenantId, sessionId, clock.now());
  };
}
