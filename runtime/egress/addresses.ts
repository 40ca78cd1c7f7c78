import { BlockList, isIPv4, isIPv6 } from 'node:net';

const FORBIDDEN_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** In IPv6, only global unicast addresses are public. This also excludes embedded IPv4 addresses. */
const PUBLIC_IPV6 = '2000::/3';

/** Ranges for protocol assignments (with Teredo), documentation, 6to4 and DNS relays. */
const FORBIDDEN_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const forbidden4 = listOf(FORBIDDEN_IPV4, 'ipv4');
const public6 = listOf([PUBLIC_IPV6], 'ipv6');
const forbidden6 = listOf(FORBIDDEN_IPV6, 'ipv6');

export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !forbidden4.check(address, 'ipv4');
  // Rejects zones (`%eth0`), which exist only for addresses that are not public.
  return isIPv6(address) && !address.includes('%') && public6.check(address, 'ipv6') && !forbidden6.check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
