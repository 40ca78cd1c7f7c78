import type { Dispatcher } from 'undici';
import type { Clock } from '../../runtime/clock.ts';
import { Deadlines } from '../../runtime/deadlines.ts';
import { Recent } from '../../runtime/recent.ts';
import { Attempt, type Parcel, type Place } from './attempt.ts';
import type { Outcome } from './schedule.ts';

/** Brings one request to its host and tells how that ended. */
export interface Courier {
  /** `done` is called once, not synchronously, unless the errand is called off. */
  send(parcel: Parcel, done: (outcome: Outcome) => void): Errand;
  close(): void;
}

export interface Errand {
  /** Lets go of the connection; the receiver may or may not have got it. */
  callOff(): void;
}

export interface CourierPorts {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

/** Requests of this node to one host at once, of all tenants: what waits longer waits here, and its time does not run. */
const MOST_PER_HOST = 32;
const PLACES_KEPT = 5_000;

export function createCourier({ dispatcher, clock }: CourierPorts): Courier {
  const deadlines = new Deadlines(clock);
  const hosts = new Map<string, { busy: number; waiting: Set<Attempt> }>();
  const places = new Recent<string, Place>(PLACES_KEPT);

  function start(attempt: Attempt): void {
    const { host } = attempt.place;
    const door = hosts.get(host) ?? { busy: 0, waiting: new Set<Attempt>() };
    hosts.set(host, door);
    if (door.busy >= MOST_PER_HOST) return void door.waiting.add(attempt);
    door.busy += 1;
    attempt.start(dispatcher, deadlines);
  }

  function left(attempt: Attempt): void {
    const { host } = attempt.place;
    const door = hosts.get(host);
    if (!door) return;
    if (!attempt.wasStarted) return void door.waiting.delete(attempt);
    door.busy -= 1;
    const [next] = door.waiting;
    if (next) {
      door.waiting.delete(next);
      start(next);
    } else if (door.busy === 0) hosts.delete(host);
  }

  return {
    send(parcel, done) {
      const place = places.get(parcel.url) ?? placeOf(parcel.url);
      places.set(parcel.url, place);
      const attempt = new Attempt(parcel, place, clock, {
        done: (outcome) => queueMicrotask(() => done(outcome)),
        left: () => left(attempt),
      });
      start(attempt);
      return attempt;
    },
    close: () => deadlines.close(),
  };
}

function placeOf(text: string): Place {
  const url = new URL(text);
  return { origin: url.origin, host: url.host, path: `${url.pathname}${url.search}` };
}
