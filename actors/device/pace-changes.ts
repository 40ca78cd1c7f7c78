import type { ActorSystem } from '../../runtime/actor-system/system.ts';
import type { Clock } from '../../runtime/clock.ts';
import { deviceActorId } from './actor-id.ts';
import type { Pacing } from './behaviour/facts.ts';
import type { DeviceCommand } from './protocol.ts';

export interface PaceChangeDeps {
  readonly actors: Pick<ActorSystem, 'awake' | 'isAwake' | 'ref'>;
  readonly clock: Clock;
  pacingOf(tenantId: string): Promise<Pacing>;
  /** A device keeps its former pace until it wakes again. */
  failed(cause: unknown, tenantId: string): void;
}

const FULL_MAILBOX_MS = 1_000;

/** Tells a tenant's devices on this node their new pace. One whose mailbox is full learns it later, as the settings are then. */
export function createPaceChanges({ actors, clock, pacingOf, failed }: PaceChangeDeps): (tenantId: string, pacing: Pacing) => void {
  function tell(tenantId: string, id: string, pacing: Pacing): void {
    if (!actors.isAwake('device', id)) return;
    try {
      actors.ref<DeviceCommand>('device', id).tell({ type: 'pace', pacing });
    } catch {
      clock.after(FULL_MAILBOX_MS, () => {
        pacingOf(tenantId).then(
          (now) => tell(tenantId, id, now),
          (cause) => failed(cause, tenantId),
        );
      });
    }
  }

  return (tenantId, pacing) => {
    const start = deviceActorId(tenantId, '');
    for (const id of actors.awake('device')) if (id.startsWith(start)) tell(tenantId, id, pacing);
  };
}
