import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';

/**
 * Limits what the queues of devices accept. The figures are in memory, per node. After the store
 * has counted a queue, a node accepts up to an eighth of the free capacity before the next count.
 * Near the limit, it accepts one message at a time. If several nodes accept messages, each of them
 * can exceed the limit by an eighth.
 */

type Device = Pick<DeviceRow, '_id' | 'tenant_id'>;

interface Known {
  room: number;
  countedAt: number;
  underWay: number;
  counting: Promise<void> | null;
  readonly waiting: (() => void)[];
  isFull: boolean;
}

const RECOUNT_MS = 1_000;
const FRESH_MS = 60_000;
const SHARE = 8;

export class QueueRoom {
  readonly #messages: Pick<Messages, 'queued'>;
  readonly #limit: number;
  readonly #known = new Map<string, Known>();

  constructor(messages: Pick<Messages, 'queued'>, limit: number) {
    this.#messages = messages;
    this.#limit = limit;
  }

  enter(device: Device, now: number): boolean | Promise<boolean> {
    const known = this.#of(device._id);
    // Use the absolute value, because the wall clock may have been set back.
    const age = Math.abs(now - known.countedAt);
    if (known.room > 0 && age < FRESH_MS) {
      known.room -= 1;
      known.underWay += 1;
      return true;
    }
    return this.#counted(device, known, now);
  }

  left(deviceId: string): void {
    const known = this.#known.get(deviceId);
    if (!known) return;
    known.underWay -= 1;
    for (const go of known.waiting.splice(0)) go();
  }

  #of(deviceId: string): Known {
    const known = this.#known.get(deviceId);
    if (known) return known;
    const fresh: Known = { room: 0, countedAt: Number.NEGATIVE_INFINITY, underWay: 0, counting: null, waiting: [], isFull: false };
    this.#known.set(deviceId, fresh);
    return fresh;
  }

  async #counted(device: Device, known: Known, now: number): Promise<boolean> {
    if (known.isFull && Math.abs(now - known.countedAt) < RECOUNT_MS) return false;
    known.counting ??= this.#count(device, known, now).finally(() => {
      known.counting = null;
    });
    await known.counting;
    while (known.room === 0 && !known.isFull && known.underWay > 0) await new Promise<void>((resolve) => known.waiting.push(resolve));
    return this.enter(device, now);
  }

  async #count(device: Device, known: Known, now: number): Promise<void> {
    const depth = (await this.#messages.queued(device.tenant_id, device._id, this.#limit)) + known.underWay;
    known.countedAt = now;
    known.isFull = depth >= this.#limit;
    // Near the limit, accept one message at a time, because the count may lack messages being stored.
    const share = Math.floor((this.#limit - depth) / SHARE);
    known.room = known.isFull ? 0 : share > 0 ? share : known.underWay === 0 ? 1 : 0;
  }
}
