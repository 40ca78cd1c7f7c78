import type { AddressInfo, Server } from 'node:net';

/** Returns the address of a server that listens on a host and port. Throws before it listens. */
export function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address;
}
