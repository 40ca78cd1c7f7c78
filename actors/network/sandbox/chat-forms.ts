import { isLid, userJid } from '../jid.ts';
import { lidOf, numberAt } from './addresses.ts';
import type { Phone, Phones } from './phones.ts';

export interface AccountForm {
  /** Whether the account's chats were moved to hidden addresses; null if both kinds of address are accepted. */
  readonly migrated: boolean | null;
  readonly requiresToken: boolean;
  readonly media: MediaState;
  /** Whether the phone rejects chat changes made by its devices. */
  readonly refusesChanges: boolean;
  readonly olderHistory: number;
}

/** `gone`: the file's address has expired, and the phone uploads the file again on request. */
export const MEDIA_STATES = ['ok', 'gone', 'silent', 'changed'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

const AS_EVER: AccountForm = { migrated: null, requiresToken: false, media: 'ok', refusesChanges: false, olderHistory: 0 };

/**
 * Decides by which kind of address devices write to people. Devices learn the account's form of
 * addresses at login, and learn of a later change when a message is refused. A record of who wrote
 * to whom stands in for the network's privacy tokens. Kept in memory.
 */
export class ChatForms {
  readonly #phones: Phones;
  readonly #forms = new Map<string, AccountForm>();
  readonly #known = new WeakMap<Phone, Set<string>>();

  constructor(phones: Phones) {
    this.#phones = phones;
  }

  of(digits: string): AccountForm {
    return this.#forms.get(digits) ?? AS_EVER;
  }

  set(digits: string, changes: Partial<AccountForm>): AccountForm {
    const form = { ...this.of(digits), ...changes };
    this.#forms.set(digits, form);
    return form;
  }

  wrote(phone: Phone, numbers: readonly string[]): void {
    this.#known.set(phone, new Set([...(this.#known.get(phone) ?? []), ...numbers]));
  }

  lacksToken(digits: string, to: string): boolean {
    return this.of(digits).requiresToken && this.isStranger(digits, to);
  }

  isStranger(digits: string, to: string): boolean {
    const number = numberAt(to);
    if (number === null || number === digits) return false;
    const phone = this.#phones.seen(this.#phones.registered(number));
    return !phone || !this.#known.get(phone)?.has(digits);
  }

  /**
   * Returns a person's address as used by a device with this `migrated` value; other addresses are
   * returned unchanged.
   */
  addressed(digits: string, to: string, migrated: boolean | null): string {
    const number = numberAt(to);
    if (number === null || number === digits) return to;
    const registered = this.#phones.registered(number);
    const phone = this.#phones.seen(registered);
    const isHidden = migrated ?? isLid(to);
    const isUntold = isLid(to) && phone?.lid === true && !phone.tellsNumber;
    return isHidden || isUntold ? lidOf(registered) : userJid(registered);
  }
}
