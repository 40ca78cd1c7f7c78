import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';

/**
 * Returns false unless the row returned `Ongoing`. The body is not chunked, so that bytes framed once
 * can go to many sockets.
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

/** Runs only hapi's `finish` listener (the last one), which releases the request; Node's would close the connection. */
function dropRequest(req: IncomingMessage, res: ServerResponse): void {
  res.listeners('finish').at(-1)?.call(res);
  res.removeAllListeners('finish');
  res.removeAllListeners('close');
  req.removeAllListeners();
}
