import { type BlockList, isIP, isIPv6 } from 'node:net';
import { isIn } from '../../runtime/address-ranges.ts';
import type { Exchange } from './exchange.ts';

/**
 * Returns the last address in `X-Forwarded-For` that is not a trusted proxy's. Earlier addresses
 * may be forged.
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

const bare = (text: string): string => /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;

/** Returns the /64 of an IPv6 address, because a single host may own all of it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

function groupsOf(address: string): readonly number[] {
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter(Boolean).flatMap(numbersOf));
  return [...head, ...Array.from({ length: tail ? 8 - head.length - tail.length : 0 }, () => 0), ...(tail ?? [])];
}

function numbersOf(group: string): readonly number[] {
  const [a = 0, b, c = 0, d = 0] = group.split('.').map(Number);
  return b === undefined ? [Number.parseInt(group, 16)] : [(a << 8) | b, (c << 8) | d];
}
