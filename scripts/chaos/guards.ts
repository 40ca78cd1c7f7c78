import type { ConnectionEvent, Network } from '../../actors/network/port.ts';
import { CLOSED } from '../../actors/network/port.ts';
import { type Limits, LimitsInMemory } from '../../http/limits/limits.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Cluster, Lease, Leases } from '../../runtime/cluster/port.ts';
import type { Store } from '../../store/port.ts';
import { withoutGuard as withoutMessageGuard } from '../faults/guards.ts';
import { boundLine } from '../faults/watched.ts';
import { rewritten, type Write } from './rewritten.ts';
import { epochIn } from './trail.ts';

/** `no-fence` disables three guards, because any one of them would prevent the failure. */
export const GUARDS = [
  'on',
  'no-self-check',
  'no-epoch',
  'fresh-ids',
  'careless-withdrawal',
  'counting-apart',
  'early-acknowledge',
  'release-first',
  'no-quiet',
  'no-fence',
  'no-step-down',
] as const;
export type Guard = (typeof GUARDS)[number];

export const guardIn = (text: string | undefined): Guard => GUARDS.find((guard) => guard === text) ?? 'on';

export function storeWithout(guard: Guard, store: Store): Store {
  switch (guard) {
    case 'no-epoch':
    case 'no-fence':
      return rewritten(store, (_collection, write) => unfenced(write));
    case 'careless-withdrawal':
      return rewritten(store, (collection, write) => (collection === 'messages' ? carelessly(write) : write));
    default:
      return store;
  }
}

function unfenced({ filter, update }: Write): Write {
  if (epochIn(filter) === null) return { filter, update };
  const { epoch: _dropped, ...rest } = filter;
  return { filter: rest, update };
}

/** Makes the write that withdraws campaign messages (campaign-messages.ts) ignore the status. */
function carelessly({ filter, update }: Write): Write {
  if (filter['status'] !== 'queued' || Object.keys(update).length > 0) return { filter, update };
  const { status: _unasked, ...rest } = filter;
  return { filter: rest, update };
}

export function clusterWithout(guard: Guard, cluster: Cluster): Cluster {
  switch (guard) {
    case 'no-self-check':
    case 'no-fence':
      return { ...cluster, leases: believed(cluster.leases) };
    case 'no-step-down':
      return { ...cluster, members: () => cluster.members().map(({ store: _unsaid, ...member }) => member) };
    default:
      return cluster;
  }
}

export const limitsWithout = (guard: Guard): { readonly limits?: Limits } =>
  guard === 'counting-apart' ? { limits: new LimitsInMemory() } : {};

export function networkWithout(guard: Guard, network: Network): Network {
  switch (guard) {
    case 'fresh-ids':
    case 'early-acknowledge':
      return withoutMessageGuard(network, guard);
    case 'release-first':
      return closingLate(network);
    case 'no-fence':
      return takingEvictionForLoss(network);
    default:
      return network;
  }
}

function believed(leases: Leases): Leases {
  const real = new WeakMap<Lease, Lease>();
  const believe = (lease: Lease): Lease => {
    const trusting: Lease = { key: lease.key, isSafe: () => true, onLost() {} };
    real.set(trusting, lease);
    return trusting;
  };
  return {
    async acquire(key) {
      const lease = await leases.acquire(key);
      return lease && believe(lease);
    },
    release: (lease) => leases.release(real.get(lease) ?? lease),
    holders: (keys) => leases.holders(keys),
    held: () => leases.held(),
  };
}

const LATE_MS = 5_000;

/** Immediately reports the connection as closed, so that its lease is released, but closes it later. */
function closingLate(network: Network): Network {
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      let isClosed = false;
      const line = network.open(order, (event) => {
        if (isClosed) return;
        isClosed = event.type === 'closed';
        receive(event);
      });
      return {
        ...boundLine(line),
        close() {
          queueMicrotask(() => {
            if (!isClosed) receive({ type: 'closed', code: CLOSED.normally });
            isClosed = true;
          });
          systemClock.after(LATE_MS, () => line.close());
        },
      };
    },
  };
}

/** Makes an eviction look like a broken connection, so that the node reconnects. */
function takingEvictionForLoss(network: Network): Network {
  const mistaken = (event: ConnectionEvent): ConnectionEvent =>
    event.type === 'closed' && event.code === CLOSED.replaced ? { type: 'closed', code: CLOSED.dropped } : event;
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open: (order, receive) => network.open(order, (event) => receive(mistaken(event))),
  };
}
