import { type BlockList, isIP, isIPv6 } from 'node:net';
import { isIn } from '../../runtime/address-ranges.ts';
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

/**
 * Whom calls from an address are counted for: an IPv4 address by itself, of IPv6 the /64, since a single host has all addresses of one. Lists of
 * addresses and the audit log have the whole address.
 */
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

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter(Boolean).flatMap(numbersOf));
  return [...head, ...Array.from({ length: tail ? 8 - head.length - tail.length : 0 }, () => 0), ...(tail ?? [])];
}

/** Of a group, or of the IPv4 address that may stand at the end. */
function numbersOf(group: string): readonly number[] {
  const [a = 0, b, c = 0, d = 0] = group.split('.').map(Number);
  return b === undefined ? [Number.parseInt(group, 16)] : [(a << 8) | b, (c << 8) | d];
}
