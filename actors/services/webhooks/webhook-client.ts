import type { Dispatcher } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { Deadlines } from '../../../runtime/deadlines.ts';
import { FairLane } from '../../../runtime/fair-lane.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import { Attempt, type HttpJob, type RequestTarget } from './delivery-attempt.ts';

export interface InFlightRequest {
  /** Reports no result, although the receiver may have received the delivery. */
  callOff(): void;
}

export interface WebhookClientDeps {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

/** Maximum number of requests to a host by all tenants. A waiting request's time limit has not begun. */
const MAX_PER_HOST = 64;
/** Maximum number of requests to a host by one tenant, because tenants may share a slow host. */
const SHARE = 32;
const MAX_TARGETS = 5_000;

interface HostSlot {
  busy: number;
  readonly busyOf: Map<string, number>;
  readonly waiting: FairLane<Attempt>;
}

export class WebhookClient {
  readonly clock: Clock;
  readonly #dispatcher: Dispatcher;
  readonly #deadlines: Deadlines;
  readonly #hostSlots = new Map<string, HostSlot>();
  readonly #targets = new RecentCache<string, RequestTarget>(MAX_TARGETS);

  constructor({ dispatcher, clock }: WebhookClientDeps) {
    this.clock = clock;
    this.#dispatcher = dispatcher;
    this.#deadlines = new Deadlines(clock);
  }

  send(httpJob: HttpJob): InFlightRequest {
    const attempt = new Attempt(httpJob, this.#targetOf(httpJob.url), this);
    const hostSlot = this.#hostSlot(attempt.target.host);
    if (hostSlot.busy < MAX_PER_HOST && isUnderShare(hostSlot, httpJob.tenantId)) this.#start(attempt, hostSlot);
    else hostSlot.waiting.push(httpJob.tenantId, attempt);
    return attempt;
  }

  left(attempt: Attempt): void {
    const { host } = attempt.target;
    const hostSlot = this.#hostSlots.get(host);
    if (!hostSlot || !attempt.wasStarted) return;
    hostSlot.busy -= 1;
    const own = (hostSlot.busyOf.get(attempt.tenantId) ?? 1) - 1;
    if (own === 0) hostSlot.busyOf.delete(attempt.tenantId);
    else hostSlot.busyOf.set(attempt.tenantId, own);
    this.#next(hostSlot);
    if (hostSlot.busy === 0) this.#hostSlots.delete(host);
  }

  close(): void {
    this.#deadlines.close();
  }

  #next(hostSlot: HostSlot): void {
    const take = (): Attempt | undefined => hostSlot.waiting.take((tenantId) => isUnderShare(hostSlot, tenantId));
    let attempt = take();
    while (attempt?.isOver) attempt = take();
    if (attempt) this.#start(attempt, hostSlot);
  }

  #start(attempt: Attempt, hostSlot: HostSlot): void {
    hostSlot.busy += 1;
    hostSlot.busyOf.set(attempt.tenantId, (hostSlot.busyOf.get(attempt.tenantId) ?? 0) + 1);
    attempt.start(this.#dispatcher, this.#deadlines);
  }

  #hostSlot(host: string): HostSlot {
    const known = this.#hostSlots.get(host);
    if (known) return known;
    const hostSlot: HostSlot = { busy: 0, busyOf: new Map(), waiting: new FairLane() };
    this.#hostSlots.set(host, hostSlot);
    return hostSlot;
  }

  #targetOf(text: string): RequestTarget {
    const known = this.#targets.get(text);
    if (known) return known;
    const url = new URL(text);
    const place = { origin: url.origin, host: url.host, path: `${url.pathname}${url.search}` };
    this.#targets.set(text, place);
    return place;
  }
}

const isUnderShare = ({ busyOf }: HostSlot, tenantId: string): boolean => (busyOf.get(tenantId) ?? 0) < SHARE;
