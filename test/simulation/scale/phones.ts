/**
 * The phone network of the scale simulation: which process each device is logged in from, and since when. It is the
 * oracle of the promise that no two processes use the same device at a time.
 */
import type { Clock } from '../../../runtime/clock.ts';

export interface Login {
  close(): void;
}

interface Session {
  readonly epoch: number;
  readonly isAlive: () => boolean;
  isClosed: boolean;
}

/** Assumed duration of a login, from its first byte until the device is online. */
const LOGIN_MS = 1_000;

export class Phones {
  /** Devices that a running process was still using when another process logged in. */
  readonly onTwoNodes: string[] = [];
  logins = 0;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Session>();
  readonly #onlineSince = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(device: string, epoch: number, isAlive: () => boolean, opened: () => void): Login {
    const before = this.#sessions.get(device);
    if (before && !before.isClosed && before.isAlive()) this.onTwoNodes.push(device);
    const session: Session = { epoch, isAlive, isClosed: false };
    this.#sessions.set(device, session);
    this.#onlineSince.delete(device);
    this.logins += 1;
    this.#clock.after(LOGIN_MS, () => {
      if (session.isClosed || !isAlive() || this.#sessions.get(device) !== session) return;
      this.#onlineSince.set(device, this.#clock.monotonic());
      opened();
    });
    return {
      close: () => {
        session.isClosed = true;
        if (this.#sessions.get(device) === session) this.#onlineSince.delete(device);
      },
    };
  }

  /** Ends the connections of devices whose process has died, and returns these devices. */
  dropAllOfTheDead(): string[] {
    const dropped: string[] = [];
    for (const [device, { isAlive }] of this.#sessions) if (!isAlive() && this.#onlineSince.delete(device)) dropped.push(device);
    return dropped;
  }

  online(): number {
    return this.#onlineSince.size;
  }

  /** Returns the times at which these devices came online, ascending. Offline devices are omitted. */
  times(devices: Iterable<string>): readonly number[] {
    return [...devices].flatMap((device) => this.#onlineSince.get(device) ?? []).sort((a, b) => a - b);
  }

  all(): Iterable<string> {
    return this.#onlineSince.keys();
  }
}
