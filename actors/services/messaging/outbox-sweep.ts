import type { Devices } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';

export interface OutboxSweepDeps {
  readonly messages: Pick<Messages, 'devicesWithOutbox'>;
  readonly devices: Pick<Devices, 'noteLateMessages'>;
  /** This device has something to tell of its messages, though perhaps no node runs it. */
  wakeDevice(device: { readonly tenant_id: string; readonly _id: string }): void;
}

/** Woken by one pass; the next one goes on with those behind them, so that each has its turn. */
const MAX_DEVICES = 200;
/** Read at once: most devices have few, and those behind one that has many do not wait for all of its. */
const ROW_BATCH_SIZE = 20;

/**
 * Gives a pass that wakes devices whose outbox is pending, for a sweep on any node. A device that is offline, or whose node died, learns of no hint; for
 * one that runs it is one hint more. What came for one that was removed, because its file took so long, is left to the sweep of those.
 */
export function createOutboxSweep({ messages, devices, wakeDevice }: OutboxSweepDeps): (now: number) => Promise<void> {
  let after = '';
  return async (now) => {
    for (let woken = 0; woken < MAX_DEVICES; ) {
      const some = await messages.devicesWithOutbox(after, ROW_BATCH_SIZE);
      after = some.at(-1)?._id ?? '';
      if (after === '') return;
      await devices.noteLateMessages(
        some.map(({ _id }) => _id),
        now,
      );
      for (const device of some) wakeDevice(device);
      woken += some.length;
    }
  };
}
