import { once } from 'node:events';
import { createServer } from 'node:net';
import { addressOf } from '../../runtime/listening.ts';

/** A port on which nobody listens, for who has to name it before something listens there. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = addressOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
