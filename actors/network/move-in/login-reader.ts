import type { Credentials } from '../port.ts';

/**
 * Logins of other programs, record by record. A reader knows one format: it judges each record as it comes, keeps what the gateway needs in the
 * form in which its driver stores it, and at the end has a login or none. Nothing is taken at its word: kinds, ids and values have the shapes of
 * their format, or the record is dropped with one of `WHYS`.
 */

export const FORMATS = ['baileys', 'evolution', 'waha_noweb', 'fazer', 'whatsmeow', 'sandbox'] as const;
export type LoginFormat = (typeof FORMATS)[number];

/** Why a record was not taken over. No text of the record stands in it. */
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

/** One secret as the driver's store holds it. */
export interface AdoptedSecret {
  /** `<kind>/<id>`. */
  readonly name: string;
  readonly text: string;
}

/** A login that can be taken over. */
export interface ReadLogin {
  readonly credentials: Credentials;
  /** Digits, and the hidden address (`<digits>@lid`). */
  readonly phone: string;
  readonly lid: string | null;
  /** When the phone was linked, epoch ms; null: the source does not say. */
  readonly linkedAt: number | null;
  readonly secrets: readonly AdoptedSecret[];
}

/** The result of a record that was accepted at first. */
export interface TakenBack extends Omit<LoginRecord, 'value'> {
  readonly why: Why;
}

export interface LoginReader {
  take(record: LoginRecord): Taken;
  /** `login` is null without `me` or `account`, or with keys that are none. */
  finish(): { readonly login: ReadLogin | null; readonly takenBack: readonly TakenBack[] };
}
