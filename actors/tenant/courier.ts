import type { Dispatcher } from 'undici';
import type { Clock } from '../../runtime/clock.ts';
import { Deadlines } from '../../runtime/deadlines.ts';
import { Recent } from '../../runtime/recent.ts';
import { Attempt, type Parcel, type Place } from './attempt.ts';

/** One request on its way. */
export interface Errand {
  /** Lets go of the connection; the receiver may or may not have got it, and nobody hears what became of it. */
  callOff(): void;
}

export interface CourierPorts {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

/** Requests of this node to one host at once, of all tenants: what waits longer waits here, and its time does not run. */
const MOST_PER_HOST = 32;
const PLACES_KEPT = 5_000;

interface Door {
  busy: number;
  readonly waiting: Set<Attempt>;
}

/** Brings requests to their hosts: each once, within its time, a bounded number at each host. */
export class Courier {
  readonly clock: Clock;
  readonly #dispatcher: Dispatcher;
  readonly #deadlines: Deadlines;
  readonly #doors = new Map<string, Door>();
  readonly #places = new Recent<string, Place>(PLACES_KEPT);

  constructor({ dispatcher, clock }: CourierPorts) {
    this.clock = clock;
    this.#dispatcher = dispatcher;
    this.#deadlines = new Deadlines(clock);
  }

  send(parcel: Parcel): Errand {
    const attempt = new Attempt(parcel, this.#placeOf(parcel.url), this);
    this.#start(attempt);
    return attempt;
  }

  /** Heard from an attempt. */
  left(attempt: Attempt): void {
    const { host } = attempt.place;
    const door = this.#doors.get(host);
    if (!door) return;
    if (!attempt.wasStarted) return void door.waiting.delete(attempt);
    door.busy -= 1;
    if (door.waiting.size > 0) this.#next(door);
    else if (door.busy === 0) this.#doors.delete(host);
  }

  close(): void {
    this.#deadlines.close();
  }

  #start(attempt: Attempt): void {
    const door = this.#door(attempt.place.host);
    if (door.busy >= MOST_PER_HOST) return void door.waiting.add(attempt);
    door.busy += 1;
    attempt.start(this.#dispatcher, this.#deadlines);
  }

  #next(door: Door): void {
    const [attempt] = door.waiting;
    if (!attempt) return;
    door.waiting.delete(attempt);
    this.#start(attempt);
  }

  #door(host: string): Door {
    const known = this.#doors.get(host);
    if (known) return known;
    const door: Door = { busy: 0, waiting: new Set() };
    this.#doors.set(host, door);
    return door;
  }

  #placeOf(text: string): Place {
    const known = this.#places.get(text);
    if (known) return known;
    const url = new URL(text);
    const place = { origin: url.origin, host: url.host, path: `${url.pathname}${url.search}` };
    this.#places.set(text, place);
    return place;
  }
}
