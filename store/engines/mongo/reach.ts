import type { MongoClient, TopologyDescription } from 'mongodb';
import type { Clock } from '../../../runtime/clock.ts';

const WRITABLE: ReadonlySet<string> = new Set(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer']);

export class Reach {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #lostAt: number | null = null;

  /** Construct this before `client` connects. */
  constructor(client: MongoClient, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      this.#lostAt = isReachable(newDescription) ? null : (this.#lostAt ?? this.#clock.monotonic());
    });
  }

  isLostFor(ms: number): boolean {
    return this.#lostAt !== null && this.#clock.monotonic() - this.#lostAt >= ms;
  }
}

const isReachable = ({ type, servers }: TopologyDescription): boolean =>
  [...servers.values()].some((server) => WRITABLE.has(server.type) || (type === 'Single' && server.type !== 'Unknown'));
