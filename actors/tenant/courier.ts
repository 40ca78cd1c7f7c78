import type { Dispatcher } from 'undici';
import type { Clock } from '../../runtime/clock.ts';
import { Deadlines } from '../../runtime/deadlines.ts';
import { Lane } from '../../runtime/lane.ts';
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
  /** In their order; those that were called off meanwhile are passed over. */
  readonly waiting: Lane<Attempt>;
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
    const door = this.#door(attempt.place.host);
    if (door.busy < MOST_PER_HOST) this.#start(attempt, door);
    else door.waiting.push(attempt);
    return attempt;
  }

  /** Heard from an attempt. */
  left(attempt: Attempt): void {
    const { host } = attempt.place;
    const door = this.#doors.get(host);
    if (!door || !attempt.wasStarted) return;
    door.busy -= 1;
    this.#next(door);
    if (door.busy === 0) this.#doors.delete(host);
  }

  close(): void {
    this.#deadlines.close();
  }

  #next(door: Door): void {
    let attempt = door.waiting.take();
    while (attempt?.isOver) attempt = door.waiting.take();
    if (attempt) this.#start(attempt, door);
  }

  #start(attempt: Attempt, door: Door): void {
    door.busy += 1;
    attempt.start(this.#dispatcher, this.#deadlines);
  }

  #door(host: string): Door {
    const known = this.#doors.get(host);
    if (known) return known;
    const door: Door = { busy: 0, waiting: new Lane() };
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
