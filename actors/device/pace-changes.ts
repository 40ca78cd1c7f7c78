import type { ActorSystem } from '../../runtime/actor-system/system.ts';
import type { Clock } from '../../runtime/clock.ts';
import { SerialQueue } from '../../runtime/serial-queue.ts';
import { deviceActorId } from './actor-id.ts';
import type { Pacing } from './behaviour/facts.ts';
import type { DeviceCommand } from './protocol.ts';

export interface PaceChangeDeps {
  readonly actors: Pick<ActorSystem, 'awake' | 'isAwake' | 'ref'>;
  readonly clock: Clock;
  pacingOf(tenantId: string): Promise<Pacing>;
  failed(cause: unknown, tenantId: string): void;
}

const FULL_MAILBOX_MS = 1_000;

/** Sends a tenant's new pace to its devices. If a mailbox is full, retries after a second. */
export function createPaceChanges({ actors, clock, pacingOf, failed }: PaceChangeDeps): (tenantId: string) => void {
  /** Handles one change at a time, so that the devices end up with the latest pace. */
  const reads = new SerialQueue();
  const tellAll = (tenantId: string, ids: () => readonly string[]): void =>
    void reads
      .run(() => pacingOf(tenantId))
      .then((pacing) => {
        for (const id of ids()) tell(tenantId, id, pacing);
      })
      .catch((cause) => failed(cause, tenantId));

  function tell(tenantId: string, id: string, pacing: Pacing): void {
    if (!actors.isAwake('device', id)) return;
    try {
      actors.ref<DeviceCommand>('device', id).tell({ type: 'pace', pacing });
    } catch {
      clock.after(FULL_MAILBOX_MS, () => tellAll(tenantId, () => [id]));
    }
  }

  return (tenantId) => {
    const start = deviceActorId(tenantId, '');
    tellAll(tenantId, () => actors.awake('device').filter((id) => id.startsWith(start)));
  };
}
