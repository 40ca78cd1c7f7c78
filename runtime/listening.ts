import type { AddressInfo, Server } from 'node:net';

/** Where a server listens that was given a host and a port. Throws before it listens. */
export function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address;
}
