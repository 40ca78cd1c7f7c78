import { newId } from '../../../runtime/ids.ts';
import type { Doc } from '../../../store/port.ts';
import type { Cluster, ClusterNode } from '../../support/cluster.ts';
import type { Answer, Api, Tenant } from '../../support/gateway.ts';

export const AT_ONCE = 6;
export const QUEUE_LIMIT = 20;

export interface World {
  readonly cluster: Cluster;
  readonly nodes: readonly ClusterNode[];
  readonly tenant: Tenant;
  /** The owner, at the first node. */
  readonly api: Api;
  /** Path of a device that was never linked. */
  readonly device: string;
  /** Links it to a phone. */
  goOnline(): Promise<void>;
  /** Rows as they lie in the store, `count` of them. */
  fill(collection: string, count: number, row: (nth: number) => object): Promise<void>;
}

/** What several callers ask at the same moment, in turn over two nodes. */
export interface Race {
  readonly name: string;
  /** Prepares the world. Gives the one call each of them makes. */
  ready(world: World): Promise<(api: Api, nth: number) => Promise<Answer>>;
  /** Number of concurrent callers; default: six. */
  readonly callers?: number;
  /** Of them: how many get each status; null: see `after`. */
  readonly answers: Readonly<Record<number, number>> | null;
  /** What is true afterwards. */
  after?(world: World, answers: readonly Answer[]): Promise<void>;
}

export const owned = ({ tenant }: World, now = 1_700_000_000_000) => ({ tenant_id: tenant.id, created_at: now, updated_at: now });
export const idOf = (path: string): string => path.split('/').at(-1)!;

/** A business of its own with a device, on the two nodes. */
export async function aWorld(cluster: Cluster, nodes: readonly ClusterNode[], nth: number): Promise<World> {
  // Sign-ups from one address are limited.
  await cluster.clock.advance(60_000);
  const tenant = await nodes[0]!.signUp('Kopi', `+62811000${1_000 + nth}`);
  const api = nodes[0]!.as(tenant.tokens.token);
  const device = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
  return {
    cluster,
    nodes,
    tenant,
    device,
    api,
    async goOnline() {
      await api('POST', `${device}/connect`);
      await cluster.waited('a code to scan', async () => (await api('GET', `${device}/qr`)).body.qr);
      cluster.sandbox.phone(`62811222${1_000 + nth}`).scan({ qr: (await api('GET', `${device}/qr`)).body.qr });
      await cluster.waited('it is online', async () => (await api('GET', device)).body.status === 'connected');
    },
    async fill(collection, count, row) {
      const rows = Array.from({ length: count }, (_, at) => ({ _id: newId(1_000 + at), ...row(at) }));
      await nodes[0]!.store.collection<Doc>({ name: collection, indexes: [] }).insertMany(rows);
    },
  };
}

export const countsOf = (answers: readonly Answer[]): Readonly<Record<number, number>> =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, own]) => [status, own.length]));
