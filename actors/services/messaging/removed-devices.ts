import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import type { DeviceRow, Devices, RemovedDeviceRow } from '../../../store/devices/devices.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { type CancelDeps, cancelWaiting } from './cancel.ts';
import { type OutboxHandler, OutboxProcessor } from './outbox-processor.ts';

/**
 * Settles the messages of removed devices. There are two passes: one when the device is removed,
 * and one two minutes later for writes that were still in progress. The device's webhooks are
 * removed last, so that they receive its last events. Devices that are waiting for a pass are in
 * `removed_devices`.
 */

export interface RemovedDevicesDeps extends CancelDeps {
  readonly store: Pick<Store, 'together'>;
  readonly devices: Pick<Devices, 'find' | 'unfinished' | 'noteUnfinished'>;
  readonly messages: Messages;
  readonly outboxHandlers: readonly OutboxHandler[];
  fitDevices(tenantId: string): Promise<void>;
  forgetWebhooks(tenantId: string, sessionId: string, now: number): Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

type Removed = Pick<DeviceRow, '_id' | 'tenant_id'>;

export interface RemovedDevices {
  finish(device: Removed): Promise<void>;
  finishAll(): Promise<void>;
}

/** A late ack is stored within a minute, and the clocks of nodes differ by a minute at most. */
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
    // Mark the device as unfinished until its cleanup has succeeded.
    const begun = await devices.noteUnfinished(asRead, clock.now());
    // If the device still exists, its removal was interrupted, and it may be removed again later.
    if (begun && !isThere) await finishBegun(begun).catch((cause: unknown) => failed(begun, cause));
  }

  async function finishBegun(begun: RemovedDeviceRow): Promise<void> {
    const lost = await failOnWire(begun);
    await finish(begun);
    // Keep the webhooks until the next pass, so that they receive the failures of this pass.
    if (lost > 0) return;
    await deps.forgetWebhooks(begun.tenant_id, begun._id, clock.now());
    await devices.noteUnfinished(begun, null);
  }

  async function failOnWire(device: Removed): Promise<number> {
    for (let failed = 0; ; ) {
      const some = await messages.failOnWire(lastOwnerOf(device), BATCH_SIZE);
      failed += some;
      if (some < BATCH_SIZE) return failed;
    }
  }

  const failed = ({ tenant_id: tenant, _id: session }: Removed, cause: unknown): void =>
    log.warn(
      { event: 'device.unfinished', tenant, session, err: cause },
      'the data of a deleted device could not be removed; this will be retried',
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

const lastOwnerOf = ({ tenant_id, _id }: Removed): Owner => ({ tenantId: tenant_id, sessionId: _id, epoch: Number.MAX_SAFE_INTEGER });
