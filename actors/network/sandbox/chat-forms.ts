import { isLid, userJid } from '../jid.ts';
import { lidOf, numberAt } from './addresses.ts';
import type { Phone, Phones } from './phones.ts';

export interface AccountForm {
  /** Whether the account's chats have moved to hidden addresses; null if both forms are accepted. */
  readonly migrated: boolean | null;
  readonly requiresToken: boolean;
  readonly media: MediaState;
  readonly refusesChanges: boolean;
  readonly olderHistory: number;
}

/** `gone`: the phone uploads the file again on request. */
export const MEDIA_STATES = ['ok', 'gone', 'silent', 'changed'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

const AS_EVER: AccountForm = { migrated: null, requiresToken: false, media: 'ok', refusesChanges: false, olderHistory: 0 };

/** Tracks which form of address each account uses. Devices learn it at login or from a refusal. */
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
