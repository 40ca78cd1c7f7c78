import { isLid, phoneOf } from './jid.ts';

/** A person, in every question, answer and event of the network: what is known of their two addresses, and the names that they show. */
export interface Person {
  /** Digits. */
  readonly phone: string | null;
  /** The hidden address (`…@lid`). */
  readonly lid: string | null;
  /** The name by which the network knows them, without `@`. */
  readonly username: string | null;
  readonly name: string | null;
}

/** The person at an address; `alt` is their other one, where the network names it. Numbers of their devices are left out. */
export function personAt(address: string, alt: string | null = null, name: string | null = null, username: string | null = null): Person {
  const one = withoutDevice(address);
  const other = withoutDevice(alt ?? '');
  const lid = isLid(one) ? one : other;
  return { phone: phoneOf(one) ?? phoneOf(other), lid: isLid(lid) ? lid : null, username, name };
}

/** An address without the number of a device. */
export const withoutDevice = (jid: string): string => (jid.includes(':') ? jid.replace(/:\d+(?=@)/, '') : jid);
