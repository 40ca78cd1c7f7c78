import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { type CancelDeps, cancelWaiting } from './cancel.ts';
import { type OutboxHandler, OutboxProcessor } from './outbox-processor.ts';

export interface RemovedDevicesDeps extends CancelDeps {
  readonly store: Pick<Store, 'together'>;
  readonly devices: Pick<Devices, 'unfinished' | 'noteUnfinished'>;
  readonly messages: Messages;
  readonly outboxHandlers: readonly OutboxHandler[];
  readonly clock: Clock;
  readonly log: Logger;
}

type Removed = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** What a device left that was removed: it has no owner any more who would see to it. */
export interface RemovedDevices {
  /** Cancels what waits, and has all that follow that its messages ask for: a STOP counts, webhooks learn of acks and receipts. */
  finish(device: Removed): Promise<void>;
  /**
   * Does so once more for those removed a minute ago or more, and fails what was on the wire: by then nobody writes for them, and nobody accepts.
   * For a sweep on any node.
   */
  finishAll(): Promise<void>;
}

/** Calls that were accepted, and acks that came, before a device was removed are stored within this. */
const WRITTEN_WITHIN_MS = 60_000;
const DEVICES = 20;
const BATCH_SIZE = 100;

export function createRemovedDevices(deps: RemovedDevicesDeps): RemovedDevices {
  const { devices, messages, clock, log } = deps;

  async function finish(device: Removed): Promise<boolean> {
    try {
      await cancelWaiting(deps, device, clock.now());
      // Nothing of an outbox is compared with the epoch of its owner.
      const owner = { tenantId: device.tenant_id, sessionId: device._id, epoch: 0 };
      await new OutboxProcessor(deps, owner, () => {}).processWhole();
      return true;
    } catch (cause) {
      const [tenant, session] = [device.tenant_id, device._id];
      log.warn(
        { event: 'device.unfinished', tenant, session, err: cause },
        'messages of a removed device did not end; this is tried again',
      );
      return false;
    }
  }

  return {
    finish: async (device) => void (await finish(device)),

    async finishAll() {
      for (let isMore = true; isMore; ) {
        const some = await devices.unfinished(clock.now() - WRITTEN_WITHIN_MS, DEVICES);
        for (const device of some) {
          while ((await messages.failOnWire(device.tenant_id, device._id, BATCH_SIZE)) === BATCH_SIZE);
          await devices.noteUnfinished(device._id, (await finish(device)) ? null : clock.now());
        }
        isMore = some.length === DEVICES;
      }
    },
  };
}
