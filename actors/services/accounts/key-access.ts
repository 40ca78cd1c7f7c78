import { isWithin } from '../../../runtime/address-ranges.ts';

/**
 * Determines whether a change to an API key widens its access. An owner who widens a key must prove
 * their second factor and gets a notice. Narrowing a key needs neither. Used for the change itself,
 * with the stored key, and for the security notice, with the values in the audit entry.
 */

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

/** Whether `to` allows more than `from`. A null list means no restriction. */
function hasMore(from: unknown, to: unknown, isCovered: (one: string, known: string) => boolean): boolean {
  if (!Array.isArray(from)) return false;
  if (!Array.isArray(to)) return true;
  return to.some((one) => !from.some((known) => isCovered(String(one), String(known))));
}

const endOf = (at: unknown): number => (typeof at === 'number' ? at : Number.POSITIVE_INFINITY);
