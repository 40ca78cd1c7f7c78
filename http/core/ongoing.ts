import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';

/**
 * Hands the connection over if the row answered with `Ongoing`; returns false for any other answer.
 * The body is not chunked and ends with the connection, so that bytes framed once can be written to
 * many sockets.
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
 * Finishes the request for hapi and releases its data, which would otherwise stay in memory while
 * the stream is open. The last `finish` listener is hapi's, which forgets the request; Node's own,
 * before it, would close the connection.
 */
function dropRequest(req: IncomingMessage, res: ServerResponse): void {
  res.listeners('finish').at(-1)?.call(res);
  res.removeAllListeners('finish');
  res.removeAllListeners('close');
  req.removeAllListeners();
}
