import { isLid, userJid } from '../jid.ts';
import { lidOf, numberAt } from './addresses.ts';
import type { Phone, Phones } from './phones.ts';

export interface AccountForm {
  /** Whether chats were moved to hidden addresses; null if both kinds of address are accepted. */
  readonly migrated: boolean | null;
  readonly requiresToken: boolean;
  readonly media: MediaState;
  readonly refusesChanges: boolean;
  readonly olderHistory: number;
}

/** `gone` means that the phone uploads the file again on request. */
export const MEDIA_STATES = ['ok', 'gone', 'silent', 'changed'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

const AS_EVER: AccountForm = { migrated: null, requiresToken: false, media: 'ok', refusesChanges: false, olderHistory: 0 };

/**
 * Devices learn the address form at login, or when a message is refused. A record of who wrote to
 * whom stands in for the network's privacy tokens.
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
