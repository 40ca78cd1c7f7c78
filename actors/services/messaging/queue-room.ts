import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';

type Device = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** The state of one device's queue on this node. Times are epoch ms. */
interface Known {
  /** So many may be let in before it is counted again. */
  room: number;
  countedAt: number;
  /** Let in, and perhaps not stored yet. */
  underWay: number;
  counting: Promise<void> | null;
  /** Callers that wait until an entry has left. */
  readonly waiting: (() => void)[];
  isFull: boolean;
}

/** After a count that found it full, calls within this time are refused without another. */
const RECOUNT_MS = 1_000;
const FRESH_MS = 60_000;
const SHARE = 8;

/**
 * Keeps each device's queue within a limit. The store counts it, not every time: after each count a node lets in an eighth of the room there is,
 * and counts again; the last few it lets in one after the other. So several nodes together pass the limit by an eighth of it (at least one) for
 * each node beyond the first, at most.
 */
export class QueueRoom {
  readonly #messages: Pick<Messages, 'queued'>;
  readonly #limit: number;
  readonly #known = new Map<string, Known>();

  constructor(messages: Pick<Messages, 'queued'>, limit: number) {
    this.#messages = messages;
    this.#limit = limit;
  }

  /** True: there is room for one, and the caller says when it `left`: it is stored, or never will be. */
  enter(device: Device, now: number): boolean | Promise<boolean> {
    const known = this.#of(device._id);
    // Either way: the wall clock may be set back.
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
    // Messages under way may not be counted yet, here and on other nodes: near the limit one at a time.
    const share = Math.floor((this.#limit - depth) / SHARE);
    known.room = known.isFull ? 0 : share > 0 ? share : known.underWay === 0 ? 1 : 0;
  }
}
