import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';

interface DriverConnection {
  readonly id: number | string;
  readonly socket: Socket;
}

interface DriverModule {
  readonly Connection: { readonly prototype: { writeCommand(this: DriverConnection, ...asked: readonly unknown[]): Promise<void> } };
}

let isRepaired = false;

/** Works around a driver bug (docs/library-issues.md): commands to an ended socket wait forever. */
export function heedClosedSockets(): void {
  if (isRepaired) return;
  isRepaired = true;
  const driver: DriverModule = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js');
  const { prototype } = driver.Connection;
  const { writeCommand } = prototype;
  if (typeof writeCommand !== 'function') throw new TypeError('this version of the driver writes its commands in another way');
  prototype.writeCommand = function (...asked) {
    const { id, socket } = this;
    return new Promise((resolve, reject) => {
      const closed = (): void => reject(new MongoNetworkError(`connection ${id} closed before a command was written`));
      socket.once('close', closed);
      writeCommand
        .apply(this, [...asked])
        .then(resolve, reject)
        .finally(() => socket.off('close', closed));
    });
  };
}
