import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import type { DeviceRow, Devices, RemovedDeviceRow } from '../../../store/devices/devices.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { type CancelDeps, cancelWaiting } from './cancel.ts';
import { type OutboxHandler, OutboxProcessor } from './outbox-processor.ts';

export interface RemovedDevicesDeps extends CancelDeps {
  readonly store: Pick<Store, 'together'>;
  readonly devices: Pick<Devices, 'find' | 'unfinished' | 'noteUnfinished'>;
  readonly messages: Messages;
  readonly outboxHandlers: readonly OutboxHandler[];
  /** A place became free: a device that the plan had no room for may have it. */
  fitDevices(tenantId: string): Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

type Removed = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** What a device left that was removed: it has no owner any more who would see to it. */
export interface RemovedDevices {
  /**
   * Cancels what waits, and has all that follow that its messages ask for: a STOP counts, webhooks learn of acks and receipts. A paused device may have
   * its place.
   */
  finish(device: Removed): Promise<void>;
  /**
   * Does so once more for those removed a while ago, and fails what was on the wire: by then nobody writes for them, and nobody accepts. For a sweep on
   * any node; in one process one at a time.
   */
  finishAll(): Promise<void>;
}

/** Calls that were accepted, and acks that came, before a device was removed are stored within a minute; and clocks of nodes differ by one at most. */
const WRITTEN_WITHIN_MS = 120_000;
const DEVICE_BATCH_SIZE = 20;
const BATCH_SIZE = 100;

export function createRemovedDevices(deps: RemovedDevicesDeps): RemovedDevices {
  const { devices, messages, clock, log } = deps;
  let pass: Promise<void> | null = null;

  async function finish(device: Removed): Promise<void> {
    await cancelWaiting(deps, device, clock.now());
    await new OutboxProcessor(deps, lastOwnerOf(device), () => {}).drain();
    await deps.fitDevices(device.tenant_id);
  }

  async function finishFinally(asRead: RemovedDeviceRow): Promise<void> {
    const isThere = (await devices.find(asRead.tenant_id, asRead._id)) !== null;
    // If it does not come to its end, it is tried again. One that was removed only now has to wait, too.
    const begun = await devices.noteUnfinished(asRead, clock.now());
    // One whose removal was broken off before its row went may be linked again, and be removed at any time.
    if (begun && !isThere) await finishBegun(begun).catch((cause: unknown) => failed(begun, cause));
  }

  async function finishBegun(begun: RemovedDeviceRow): Promise<void> {
    while ((await messages.failOnWire(lastOwnerOf(begun), BATCH_SIZE)) === BATCH_SIZE);
    await finish(begun);
    await devices.noteUnfinished(begun, null);
  }

  const failed = ({ tenant_id: tenant, _id: session }: Removed, cause: unknown): void =>
    log.warn(
      { event: 'device.unfinished', tenant, session, err: cause },
      'what a deleted device left could not be cleaned up; it is tried again',
    );

  async function finishRemovedBefore(before: number): Promise<void> {
    for (let isMore = true; isMore; ) {
      const some = await devices.unfinished(before, DEVICE_BATCH_SIZE);
      for (const device of some) await finishFinally(device);
      isMore = some.length === DEVICE_BATCH_SIZE;
    }
  }

  return {
    finish: (device) => finish(device).catch((cause: unknown) => failed(device, cause)),

    finishAll() {
      pass ??= finishRemovedBefore(clock.now() - WRITTEN_WITHIN_MS).finally(() => {
        pass = null;
      });
      return pass;
    },
  };
}

/** Nobody had it after any owner, and nobody will. */
const lastOwnerOf = ({ tenant_id, _id }: Removed): Owner => ({ tenantId: tenant_id, sessionId: _id, epoch: Number.MAX_SAFE_INTEGER });
