import type { Devices } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';

export interface OutboxSweepDeps {
  readonly messages: Pick<Messages, 'devicesWithOutbox'>;
  readonly devices: Pick<Devices, 'noteLateMessages'>;
  wakeDevice(device: { readonly tenant_id: string; readonly _id: string }): void;
}

const MAX_DEVICES = 200;
const ROW_BATCH_SIZE = 20;

/** Wakes devices that missed new outbox entries, because they are offline or their node died. */
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
