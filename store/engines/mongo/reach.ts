import type { MongoClient, TopologyDescription } from 'mongodb';
import type { Clock } from '../../../runtime/clock.ts';

/** Server types that accept writes. A directly addressed server receives all operations. */
const WRITABLE: ReadonlySet<string> = new Set(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer']);

/** Tracks how long the driver has been without a usable server. */
export class Reach {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #lostAt: number | null = null;

  /** Construct before `client` connects. */
  constructor(client: MongoClient, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      this.#lostAt = isReachable(newDescription) ? null : (this.#lostAt ?? this.#clock.monotonic());
    });
  }

  /** Whether the driver has been without a usable server for `ms` milliseconds. */
  isLostFor(ms: number): boolean {
    return this.#lostAt !== null && this.#clock.monotonic() - this.#lostAt >= ms;
  }
}

const isReachable = ({ type, servers }: TopologyDescription): boolean =>
  [...servers.values()].some((server) => WRITABLE.has(server.type) || (type === 'Single' && server.type !== 'Unknown'));
