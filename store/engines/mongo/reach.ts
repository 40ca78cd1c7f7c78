import type { MongoClient, TopologyDescription } from 'mongodb';
import type { Clock } from '../../../runtime/clock.ts';

/** Servers that take writes. Of one that is addressed directly everything is asked, whatever it is. */
const WRITABLE: ReadonlySet<string> = new Set(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer']);

/** Since when the driver knows no server that it could ask. */
export class Reach {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #lostAt: number | null = null;

  /** Before `client` connects. */
  constructor(client: MongoClient, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      this.#lostAt = isReachable(newDescription) ? null : (this.#lostAt ?? this.#clock.monotonic());
    });
  }

  /** Has none been known for so long? */
  isLostFor(ms: number): boolean {
    return this.#lostAt !== null && this.#clock.monotonic() - this.#lostAt >= ms;
  }
}

const isReachable = ({ type, servers }: TopologyDescription): boolean =>
  [...servers.values()].some((server) => WRITABLE.has(server.type) || (type === 'Single' && server.type !== 'Unknown'));
