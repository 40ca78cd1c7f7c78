import { isWithin } from '../../../runtime/address-ranges.ts';

/**
 * What an API key lets its holder do, and whether a change adds to it. An owner who widens a key proves their second factor and gets a notice;
 * narrowing one needs neither. The rows of the keys and the security notices ask the same function: the former with the stored key, the latter with the
 * values of the audit entry.
 */

/** Whether this change of a field of a key gives its holder a scope, device, address or time that they did not have. */
export function isWiderKey(field: string, from: unknown, to: unknown): boolean {
  switch (field) {
    case 'scopes':
    case 'session_ids':
      return hasMore(from, to, (one, known) => one === known);
    case 'allowed_ips':
      return hasMore(from, to, isWithin);
    case 'expires_at':
      return endOf(to) > endOf(from);
    default:
      return false;
  }
}

/** A list that is null stands for everything. */
function hasMore(from: unknown, to: unknown, isCovered: (one: string, known: string) => boolean): boolean {
  if (!Array.isArray(from)) return false;
  if (!Array.isArray(to)) return true;
  return to.some((one) => !from.some((known) => isCovered(String(one), String(known))));
}

/** Epoch ms; null is never. */
const endOf = (at: unknown): number => (typeof at === 'number' ? at : Number.POSITIVE_INFINITY);
