/**
 * Pings the store every third of a lease lifetime and announces to the other nodes whether it
 * answers. Steps down after three silent rounds in a row while another node reports that the store
 * answers. Redis gets the same patience: leases are lost after one lifetime without a response.
 *
 *   answers ──a round without an answer──▶ doubtful ──three in a row, another node answered──▶ stepped_down
 *      ▲                                      │  ▲                                                 │
 *      └──────────────an answer───────────────┘  └──────────no other node answers now──────────────┤
 *      └───────────────────────────────answers for a whole probation───────────────────────────────┘
 *
 * Counts rounds instead of time: a process that was blocked has missed only one round.
 */

import type { Cancel, Clock } from '../clock.ts';
import type { Cluster, ClusterLog, StoreReach } from './port.ts';

export interface StoreWatchParts {
  readonly cluster: Pick<Cluster, 'self' | 'members' | 'announce'>;
  readonly ping: () => Promise<unknown>;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: ClusterLog;
  readonly stepDown: () => Promise<unknown>;
}

const ROUNDS_PER_LIFE = 3;
/**
 * Rounds that the store must answer in a row before a stepped-down node runs actors again. Starts
 * at one lease lifetime and doubles each time, up to sixteen.
 */
const FIRST_PROBATION = ROUNDS_PER_LIFE;
const LONGEST_PROBATION = 16 * ROUNDS_PER_LIFE;

export class StoreWatch {
  readonly #parts: StoreWatchParts;
  #cancel: Cancel = () => {};
  #isStopped = false;
  #isAnswered = false;
  #silentRounds = 0;
  #answeredRounds = 0;
  #probation = FIRST_PROBATION;
  #reach: StoreReach = 'answers';

  constructor(parts: StoreWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.cluster.announce({ store: this.#reach });
    this.#round();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #round(): void {
    if (this.#isStopped) return;
    this.#ping();
    const { clock, ttlMs } = this.#parts;
    this.#cancel = clock.after(ttlMs / ROUNDS_PER_LIFE, () => {
      this.#count();
      this.#become(this.#next());
      this.#round();
    });
  }

  #ping(): void {
    this.#parts.ping().then(
      () => {
        this.#isAnswered = true;
      },
      () => {},
    );
  }

  #count(): void {
    this.#silentRounds = this.#isAnswered ? 0 : this.#silentRounds + 1;
    this.#answeredRounds = this.#isAnswered ? this.#answeredRounds + 1 : 0;
    this.#isAnswered = false;
    if (this.#answeredRounds >= LONGEST_PROBATION) this.#probation = FIRST_PROBATION;
  }

  #next(): StoreReach {
    const own = this.#silentRounds === 0 ? 'answers' : 'doubtful';
    if (!this.#isAnsweredElsewhere()) return own;
    if (this.#reach === 'stepped_down') return this.#answeredRounds >= this.#probation ? own : 'stepped_down';
    return this.#silentRounds >= ROUNDS_PER_LIFE ? 'stepped_down' : own;
  }

  /** If no node reaches the store, stepping down would only cause unnecessary logins. */
  #isAnsweredElsewhere(): boolean {
    const { self, members } = this.#parts.cluster;
    return members().some(({ id, state, store }) => id !== self.id && state === 'active' && store === 'answers');
  }

  #become(reach: StoreReach): void {
    const before = this.#reach;
    if (before === reach) return;
    this.#reach = reach;
    const { cluster, log } = this.#parts;
    cluster.announce({ store: reach });
    if (reach === 'stepped_down') {
      log.warn({ event: 'node.stepped_down' }, 'the store answers other nodes and not this one, which gives its actors to them');
      void this.#parts.stepDown();
    } else if (before === 'stepped_down') {
      this.#probation = Math.min(2 * this.#probation, LONGEST_PROBATION);
      log.info({ event: 'node.takes_part' }, 'this node takes part again');
    } else if (reach === 'doubtful') log.warn({ event: 'store.unreachable' }, 'the store does not answer');
    else log.info({ event: 'store.reachable' }, 'the store answers again');
  }
}
