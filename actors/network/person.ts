import { isLid, phoneOf } from './jid.ts';

/** A person, in every question, answer and event of the network: what is known of their two addresses, and the name that they show. */
export interface Person {
  /** Digits. */
  readonly phone: string | null;
  /** The hidden address (`…@lid`). */
  readonly lid: string | null;
  readonly name: string | null;
}

/** The person at an address; `alt` is their other one, where the network names it. Numbers of their devices are left out. */
export function personAt(address: string, alt: string | null = null, name: string | null = null): Person {
  const both = [address, alt ?? ''].map((jid) => jid.replace(/:\d+(?=@)/, ''));
  return { phone: both.map(phoneOf).find((digits) => digits !== null) ?? null, lid: both.find(isLid) ?? null, name };
}
