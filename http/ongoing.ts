import type { Request } from '@hapi/hapi';

/**
 * Hands the connection over where the row answered with `Ongoing`; false: an answer like any other. The body is not chunked and ends with the
 * connection, so that bytes framed once can go to many sockets as they are (performance.md part 5).
 */
export function isTakenOver({ app: { ongoing }, raw: { res } }: Request): boolean {
  const connection = res.socket;
  if (!ongoing) return false;
  // No socket: the caller asked for something else on this connection before and has not got it yet.
  if (!connection) {
    res.destroy();
    return true;
  }
  for (const [name, value] of Object.entries(ongoing.headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', ongoing.type);
  res.setHeader('Connection', 'close');
  res.removeHeader('Transfer-Encoding');
  res.flushHeaders();
  ongoing.begin(connection);
  return true;
}
