import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf } from '../../runtime/listening.ts';
import { aDatabase, type Scope } from './stores.ts';

/**
 * Returns the address of a new database behind a relay. `carry` forwards data between the driver (`near`) and the
 * server (`far`); both connections end together. Needs MONGODB_URL.
 */
export async function aRelayedDatabase(scope: Scope, carry: (near: Socket, far: Socket) => void): Promise<string> {
  const target = new URL(aDatabase(scope));
  const relay = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port || 27_017) });
    near.on('error', () => {}).once('close', () => far.destroy());
    far.on('error', () => {}).once('close', () => near.destroy());
    carry(near, far);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  scope.after(() => relay.close());
  const url = new URL(target);
  url.host = `127.0.0.1:${addressOf(relay).port}`;
  url.searchParams.set('directConnection', 'true');
  return url.href;
}
