import { randomBytes } from 'node:crypto';
import type { ConnectionEvent, Network } from '../../../actors/network/port.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import type { Store } from '../../../store/port.ts';
import { withoutGuard } from '../guards.ts';
import { interpose, type Operation } from '../interpose.ts';
import { boundLine } from '../watched.ts';
import { stepOf } from './steps.ts';

/**
 * Every value except `on` disables one guard. With `late-…`, writes are reported before they are
 * stored. With `fresh-…`, duplicates are not recognized.
 */
export const GUARDS = [
  ...(['on', 'late-messages', 'late-secrets', 'late-consents', 'late-events', 'late-intents', 'late-keys'] as const),
  ...(['fresh-ids', 'fresh-inbound', 'fresh-facts'] as const),
] as const;
export type Guard = (typeof GUARDS)[number];

const LATE_MS = 400;

const LATE: Readonly<Record<string, (operation: Operation) => boolean>> = {
  'late-messages': (operation) => stepOf(operation) === 'accept' || stepOf(operation) === 'inbound',
  'late-secrets': ({ collection, name }) => collection === 'credentials' && name === 'updateOne',
  'late-consents': ({ collection, name }) => collection === 'consents' && name !== 'findOne' && name !== 'find',
  'late-events': ({ collection, name }) => collection === 'events' && name === 'insertMany',
  'late-keys': ({ collection, name }) => collection === 'idempotency' && name === 'insertOne',
  'late-intents': ({ collection, name }) => collection === 'channel_intents' && name === 'insertOne',
};

/** The guard is disabled only while `isArmed`, because late data would fail a surviving gateway. */
export function guardedStore(store: Store, guard: Guard, isArmed: () => boolean): Store {
  const isLate = LATE[guard];
  if (!isLate) return store;
  return interpose(store, async <T>(operation: Operation, run: () => Promise<T>): Promise<T> => {
    if (!isArmed() || !isLate(operation)) return run();
    void pause(systemClock, LATE_MS)
      .then(run)
      .catch(() => {});
    return { insertedId: '', matchedCount: 1, modifiedCount: 1, upsertedCount: 1 } as T;
  });
}

export function guardedNetwork(network: Network, guard: Guard): Network {
  if (guard === 'fresh-ids') return withoutGuard(network, 'fresh-ids');
  if (guard === 'fresh-facts') return withFreshFacts(network);
  return guard === 'fresh-inbound' ? withFreshInbound(network) : network;
}

function withFreshFacts(network: Network): Network {
  const real = new Map<string, string>();
  const renamed = (event: ConnectionEvent): ConnectionEvent => {
    if (event.type !== 'facts') return event;
    const token = randomBytes(9).toString('hex');
    real.set(token, event.token);
    return { ...event, token };
  };
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      const line = network.open(order, (event) => receive(renamed(event)));
      return { ...boundLine(line), acknowledge: (token) => line.acknowledge(real.get(token) ?? token) };
    },
  };
}

function withFreshInbound(network: Network): Network {
  const real = new Map<string, string>();
  const renamed = (event: ConnectionEvent): ConnectionEvent => {
    if (event.type !== 'received') return event;
    const netId = `3A${randomBytes(9).toString('hex').toUpperCase()}`;
    real.set(netId, event.message.netId);
    return { ...event, message: { ...event.message, netId } };
  };
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      const line = network.open(order, (event) => receive(renamed(event)));
      return { ...boundLine(line), acknowledge: (token) => line.acknowledge(real.get(token) ?? token) };
    },
  };
}
