import { randomBytes } from 'node:crypto';
import type { ConnectionEvent, Network } from '../../actors/network/port.ts';
import { boundLine } from './watched.ts';

/** Every value except `on` disables one guard, to show that the run detects the failure. */
export const GUARDS = ['on', 'fresh-ids', 'early-acknowledge'] as const;
export type Guard = (typeof GUARDS)[number];

export function withoutGuard(network: Network, guard: Guard): Network {
  switch (guard) {
    case 'on':
      return network;
    case 'fresh-ids':
      return withFreshIds(network);
    case 'early-acknowledge':
      return acknowledgingEarly(network);
  }
}

/** Sends each copy under a new id, so that the network cannot recognize duplicates. */
function withFreshIds(network: Network): Network {
  const own = new Map<string, string>();
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      const line = network.open(order, (event) => receive(translated(event, own)));
      return {
        ...boundLine(line),
        send(message) {
          const netId = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
          own.set(netId, message.netId);
          line.send({ ...message, netId });
        },
      };
    },
  };
}

function translated(event: ConnectionEvent, own: ReadonlyMap<string, string>): ConnectionEvent {
  const ours = (netId: string): string => own.get(netId) ?? netId;
  switch (event.type) {
    case 'acked':
    case 'refused':
      return { ...event, netId: ours(event.netId) };
    case 'receipt':
      return { ...event, netIds: event.netIds.map(ours) };
    case 'memberReceipts':
      return { ...event, receipts: event.receipts.map((receipt) => ({ ...receipt, netId: ours(receipt.netId) })) };
    default:
      return event;
  }
}

function acknowledgingEarly(network: Network): Network {
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      const line = network.open(order, (event) => {
        if (event.type === 'received') line.acknowledge(event.message.netId);
        setImmediate(() => receive(event));
      });
      return line;
    },
  };
}
