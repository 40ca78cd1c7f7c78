import { type BlockList, isIP } from 'node:net';
import { isIn } from './address-ranges.ts';
import type { Exchange } from './exchange.ts';

/**
 * Who calls. A proxy that is trusted says so in `X-Forwarded-For`, to which each proxy on the way appends the address of its caller: read from the end, the
 * first that is no trusted proxy is the caller. What comes before it anybody may have written.
 */
export function addressOf({ app, info, headers }: Exchange, trusted: BlockList | undefined): string {
  app.address ??= trusted ? forwardedFor(info.remoteAddress, String(headers['x-forwarded-for'] ?? ''), trusted) : info.remoteAddress;
  return app.address;
}

export function forwardedFor(remote: string, forwarded: string, trusted: BlockList): string {
  let caller = remote;
  for (const text of forwarded.split(',').reverse()) {
    const before = bare(text.trim());
    if (!isIn(trusted, caller) || isIP(before) === 0) break;
    caller = before;
  }
  return caller;
}

/** Some proxies name the port, too. */
const bare = (text: string): string => /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
