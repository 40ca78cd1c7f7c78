import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';

/** The body is sent without chunked encoding, so that the same bytes can go to many sockets. */
export function isTakenOver({ app: { ongoing }, raw: { req, res } }: Request): boolean {
  const connection = res.socket;
  if (!ongoing) return false;
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

/** Calls only hapi's own `finish` listener (the last one), because Node's would close the connection. */
function dropRequest(req: IncomingMessage, res: ServerResponse): void {
  res.listeners('finish').at(-1)?.call(res);
  res.removeAllListeners('finish');
  res.removeAllListeners('close');
  req.removeAllListeners();
}
