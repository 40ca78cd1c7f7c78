import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Scope } from './stores.ts';

/** The connection between a browser and a gateway. */
export interface Line {
  /** URL for browsers, whichever gateway is behind it. */
  readonly url: string;
  /** Stops all data on the open connections without closing them. New connections work. */
  die(): void;
  /** Cuts all connections. */
  cut(): void;
  /** Redirects new connections to this gateway. */
  leadTo(url: string): void;
}

/** Starts a line that tests can cut or silence. */
export async function aLine(scope: Scope, gateway: string): Promise<Line> {
  const open = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let port = Number(new URL(gateway).port);
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port });
    const pair = { near, far };
    open.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of [near, far])
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(pair);
          near.destroy();
          far.destroy();
        });
  });
  const cut = (): void => {
    for (const { near, far } of open) for (const socket of [near, far]) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    die() {
      for (const { near, far } of open) {
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
        far.pause();
      }
    },
    leadTo(url) {
      port = Number(new URL(url).port);
    },
  };
}
