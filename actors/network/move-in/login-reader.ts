import type { Credentials } from '../port.ts';

/**
 * Imports logins from other programs, record by record; each reader knows one format. Input is not
 * trusted: a record that does not match the format is dropped with one of `WHYS`.
 */

export const FORMATS = ['baileys', 'evolution', 'waha_noweb', 'fazer', 'whatsmeow', 'sandbox'] as const;
export type LoginFormat = (typeof FORMATS)[number];

/** Reasons for dropping a record. They never quote the record. */
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
  /** `<kind>/<id>`. */
  readonly name: string;
  readonly text: string;
}

export interface ReadLogin {
  readonly credentials: Credentials;
  /** Digits, and the hidden address (`<digits>@lid`). */
  readonly phone: string;
  readonly lid: string | null;
  /** When the phone was linked, epoch ms; null if the source does not record it. */
  readonly linkedAt: number | null;
  readonly secrets: readonly AdoptedSecret[];
}

export interface TakenBack extends Omit<LoginRecord, 'value'> {
  readonly why: Why;
}

export interface LoginReader {
  take(record: LoginRecord): Taken;
  /** Ends the import. `login` is null when `me` or `account` is missing, or a key is invalid. */
  finish(): { readonly login: ReadLogin | null; readonly takenBack: readonly TakenBack[] };
}
