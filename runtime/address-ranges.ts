import { BlockList, isIP } from 'node:net';

const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

export function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = BITS[isIP(address)];
  if (most === undefined || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}

/** IPv4 ranges also match IPv4 callers that connect through an IPv6 socket. */
export function rangesOf(texts: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(bits), family);
  }
  return ranges;
}

export function isIn(ranges: BlockList, address: string): boolean {
  return ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

export function isWithin(inner: string, outer: string): boolean {
  const [[address, length], [other, otherLength]] = [sizedRange(inner), sizedRange(outer)];
  return isIP(address) === isIP(other) && length >= otherLength && isIn(rangesOf([outer]), address);
}

function sizedRange(text: string): readonly [address: string, length: number] {
  const [address = '', bits = BITS[isIP(address)]] = text.split('/');
  return [address, Number(bits)];
}
