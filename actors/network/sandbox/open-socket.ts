import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROTOCOL } from './wire.ts';

/** Opens a socket. Calls exactly one of the two callbacks. Returns a function that cancels the attempt. */
export function openSocket(url: string, onUp: (socket: Duplex) => void, onFailed: () => void): () => void {
  const asking = request(url, { headers: { connection: 'Upgrade', upgrade: PROTOCOL }, agent: false });
  asking.once('upgrade', (_response, socket, head) => {
    if (head.length > 0) socket.unshift(head);
    onUp(socket);
  });
  asking.once('response', () => asking.destroy(new Error('not a sandbox')));
  asking.once('error', onFailed);
  asking.end();
  return () => void asking.destroy();
}
