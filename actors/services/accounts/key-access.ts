import { isWithin } from '../../../runtime/address-ranges.ts';

/**
 * The access that an API key grants, and whether a change widens it. An owner who widens a key
 * proves their second factor and gets a notice; narrowing one needs neither. Key changes (with the
 * stored key) and security notices (with the values of the audit entry) use the same function.
 */

/** Whether a change grants a scope, device, address or time that the key did not have. */
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

/** A null list means no restriction. */
function hasMore(from: unknown, to: unknown, isCovered: (one: string, known: string) => boolean): boolean {
  if (!Array.isArray(from)) return false;
  if (!Array.isArray(to)) return true;
  return to.some((one) => !from.some((known) => isCovered(String(one), String(known))));
}

/** Epoch ms; null means never. */
const endOf = (at: unknown): number => (typeof at === 'number' ? at : Number.POSITIVE_INFINITY);
