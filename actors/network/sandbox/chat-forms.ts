import { isLid, userJid } from '../jid.ts';
import { lidOf, numberAt } from './addresses.ts';
import type { Phone, Phones } from './phones.ts';

/** What the network has set for the account of a linked number. */
export interface AccountForm {
  /** Whether its chats were moved to hidden addresses; null: both kinds of address are taken. */
  readonly migrated: boolean | null;
  /** It may only write to people who wrote to it before. */
  readonly requiresToken: boolean;
  /** What the host of files does with those that come in. */
  readonly media: MediaState;
  /** The phone takes no change of a chat from its devices. */
  readonly refusesChanges: boolean;
  /** So many older messages of each chat the phone makes up when it is asked for them. */
  readonly olderHistory: number;
}

/** `gone`: the address of a file is gone, and the phone sends it again when it is asked. */
export const MEDIA_STATES = ['ok', 'gone', 'silent', 'changed'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

const AS_EVER: AccountForm = { migrated: null, requiresToken: false, media: 'ok', refusesChanges: false, olderHistory: 0 };

/**
 * By which address the devices of each number write to people: its account takes one form, which its devices learn when they log in. One that is
 * changed later they learn by a refusal, after which the message is tried again under the other address. Who wrote to whom stands for the tokens
 * that people give: an account that needs one may not write first. The state lives as long as the sandbox.
 */
export class ChatForms {
  readonly #phones: Phones;
  readonly #forms = new Map<string, AccountForm>();
  /** Numbers of accounts that each phone wrote to. */
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

  /** A phone wrote to these numbers. */
  wrote(phone: Phone, numbers: readonly string[]): void {
    this.#known.set(phone, new Set([...(this.#known.get(phone) ?? []), ...numbers]));
  }

  /** Whether the account of `digits` lacks the token of whom it writes to. */
  lacksToken(digits: string, to: string): boolean {
    return this.of(digits).requiresToken && this.isStranger(digits, to);
  }

  /** Whether nobody at `to` ever wrote to `digits`. */
  isStranger(digits: string, to: string): boolean {
    const number = numberAt(to);
    if (number === null || number === digits) return false;
    const phone = this.#phones.seen(this.#phones.registered(number));
    return !phone || !this.#known.get(phone)?.has(digits);
  }

  /** The address of a person as a device writes it that takes this for the form of its account; other addresses as they are. */
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
