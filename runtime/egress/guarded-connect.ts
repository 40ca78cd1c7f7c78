import { connect, isIP, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { isPublic } from './addresses.ts';
import { answerWith, EgressBlocked, type Resolve, type Resolved } from './connector.ts';
import { resolveBySystem, resolveForCallers } from './names.ts';

export interface ConnectOptions {
  readonly allow: readonly string[];
  readonly clock: Clock;
  readonly resolve?: Resolve;
}

/** Rejects with EgressBlocked if the address is not public. */
export type Connect = (host: string, port: number) => Promise<Socket>;

const ANSWERS_WITHIN_MS = 10_000;

export function guardedConnect({ allow, clock, resolve = resolveForCallers }: ConnectOptions): Connect {
  const allowed: ReadonlySet<string> = new Set(allow.map((pair) => pair.toLowerCase()));

  return async (host, port) => {
    const bare = host.replace(/^\[|\]$/g, '');
    const family = isIP(bare);
    const isAllowed = allowed.has(`${host}:${port}`);
    const found: readonly Resolved[] = family > 0 ? [{ address: bare, family }] : await (isAllowed ? resolveBySystem : resolve)(bare);
    const isFine = found.length > 0 && found.every(({ address }) => isPublic(address));
    if (!isFine && !isAllowed) throw new EgressBlocked(`${host} is not a public address`);
    const socket = connect({
      host: bare,
      port,
      autoSelectFamily: true,
      lookup: (_host, options, done) => answerWith(found, options, done),
    });
    return inTime(socket, clock);
  };
}

function inTime(socket: Socket, clock: Clock): Promise<Socket> {
  const cancel = clock.after(ANSWERS_WITHIN_MS, () => void socket.destroy(new Error('nobody answered in time')));
  return new Promise<Socket>((resolve, reject) => {
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  }).finally(cancel);
}
