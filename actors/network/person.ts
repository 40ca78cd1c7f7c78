import { isLid, phoneOf } from './jid.ts';

/** A person in questions, answers and events: their known addresses and public names. */
export interface Person {
  /** Digits. */
  readonly phone: string | null;
  /** The hidden address (`…@lid`). */
  readonly lid: string | null;
  /** The person's username on the network, without `@`. */
  readonly username: string | null;
  readonly name: string | null;
}

/**
 * Builds a person from an address. `alt` is the other address, if the network reports it. Device
 * numbers are removed.
 */
export function personAt(address: string, alt: string | null = null, name: string | null = null, username: string | null = null): Person {
  const one = withoutDevice(address);
  const other = withoutDevice(alt ?? '');
  const lid = isLid(one) ? one : other;
  return { phone: phoneOf(one) ?? phoneOf(other), lid: isLid(lid) ? lid : null, username, name };
}

export const withoutDevice = (jid: string): string => (jid.includes(':') ? jid.replace(/:\d+(?=@)/, '') : jid);
