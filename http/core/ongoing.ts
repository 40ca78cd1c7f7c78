import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';

/**
 * Hands the connection over where the row answered with `Ongoing`; false: an answer like any other. The body is not chunked and ends with the
 * connection, so that bytes framed once can go to many sockets as they are.
 */
export function isTakenOver({ app: { ongoing }, raw: { req, res } }: Request): boolean {
  const connection = res.socket;
  if (!ongoing) return false;
  // The caller has left.
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
  setImmediate(() => dropRequest(req, res));
  return true;
}

/**
 * For hapi the request is over: what it keeps of it is let go of, or all of it would stay in memory for as long as the stream is open. The last
 * listener for the end of the answer is hapi's, which forgets the request; Node's own, before it, would close the connection.
 */
function dropRequest(req: IncomingMessage, res: ServerResponse): void {
  res.listeners('finish').at(-1)?.call(res);
  res.removeAllListeners('finish');
  res.removeAllListeners('close');
  req.removeAllListeners();
}
