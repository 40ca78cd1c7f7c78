import type { Credentials } from '../port.ts';

/**
 * Imports logins from other programs, record by record; each reader knows one format. Input is not
 * trusted: a record that does not match the format is dropped, with a reason from `WHYS`.
 */

export const FORMATS = ['baileys', 'evolution', 'waha_noweb', 'fazer', 'whatsmeow', 'sandbox'] as const;
export type LoginFormat = (typeof FORMATS)[number];

/** Reasons for dropping a record. A reason never quotes the record. */
export const WHYS = [
  'bad_id',
  'bad_value',
  'contradiction',
  'duplicate',
  'too_deep',
  'too_long',
  'too_many',
  'unknown_kind',
  'unreadable',
] as const;
export type Why = (typeof WHYS)[number];

export interface LoginRecord {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
}

export type Taken = 'accepted' | 'ignored' | Why;

export interface AdoptedSecret {
  readonly name: string;
  readonly text: string;
}

export interface ReadLogin {
  readonly credentials: Credentials;
  readonly phone: string;
  readonly lid: string | null;
  readonly linkedAt: number | null;
  readonly secrets: readonly AdoptedSecret[];
}

export interface TakenBack extends Omit<LoginRecord, 'value'> {
  readonly why: Why;
}

export interface LoginReader {
  take(record: LoginRecord): Taken;
  finish(): { readonly login: ReadLogin | null; readonly takenBack: readonly TakenBack[] };
}
