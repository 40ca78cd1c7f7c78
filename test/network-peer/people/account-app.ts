import type { proto } from '@whiskeysockets/baileys';
import type { Account } from '../server/account.ts';
import { type BusinessFacts, NEW_BUSINESS } from '../server/business.ts';
import type { Call } from '../server/calls.ts';
import type { Exchange } from '../server/exchange.ts';
import { setBlock } from '../server/privacy.ts';
import { el, parseJid } from '../stanza.ts';

/** A label as the phone shows it, with the digits of those whose chats carry it. */
export interface ShownLabel {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  readonly chats: readonly string[];
}

const LABEL_VERSION = 3;

/** The pages of a phone's app that are about its own account: what they show, and what a hand can set there. */
export class AccountApp {
  readonly #exchange: Exchange;
  readonly #account: Account;

  constructor(exchange: Exchange, account: Account) {
    this.#exchange = exchange;
    this.#account = account;
  }

  /** The account is a business from now on, as far as it is not yet. */
  becomesBusiness(facts: Partial<BusinessFacts> = {}): void {
    this.#account.business = { ...(this.#account.business ?? NEW_BUSINESS), ...facts };
  }

  get business(): BusinessFacts | null {
    return this.#account.business;
  }

  get privacy(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#account.privacy);
  }

  get timer(): number {
    return this.#account.timer;
  }

  get picture(): Buffer | null {
    return this.#account.picture;
  }

  get calls(): readonly Call[] {
    return this.#account.calls;
  }

  /** Digits. */
  get blocked(): readonly string[] {
    return [...this.#account.blocked].map(({ digits }) => digits);
  }

  blocks(digits: string, isBlocked = true): void {
    setBlock(this.#exchange, this.#account, this.#exchange.directory.account(digits), isBlocked);
  }

  setsPrivacy(name: string, value: string): void {
    this.#account.privacy.set(name, value);
    this.#exchange.people.accountChanged(this.#account, 'account_sync', [el('privacy', {}, [el('category', { name, value })])]);
  }

  /**
   * Labels, as far as this app shows them: it knows people by their hidden addresses, so that a chat that was labelled by a number is labelled
   * nowhere.
   */
  get labels(): readonly ShownLabel[] {
    const all = this.#account.settings.shows('regular');
    const edits = all.flatMap(([[kind, id = ''], { labelEditAction: edit }]) =>
      kind === 'label_edit' && edit && !edit.deleted ? [{ id, edit }] : [],
    );
    return edits.map(({ id, edit }) => {
      const marked = all.filter(
        ([[kind, label], { labelAssociationAction: mark }]) => kind === 'label_jid' && label === id && mark?.labeled,
      );
      const accounts = marked.map(([[, , jid = '']]) => (parseJid(jid).domain === 'lid' ? this.#exchange.directory.of(jid) : null));
      return { id, name: edit.name ?? '', color: edit.color ?? 0, chats: accounts.flatMap((each) => (each ? [each.digits] : [])) };
    });
  }

  /** Makes or changes a label; null deletes it. */
  setsLabel(id: string, edit: { readonly name: string; readonly color: number } | null): void {
    this.#sets(['label_edit', id], { labelEditAction: edit ? { ...edit, deleted: false } : { deleted: true } });
  }

  /** Labels the chat with somebody (digits), or takes the label off. */
  marks(id: string, digits: string, labeled = true): void {
    this.#sets(['label_jid', id, this.#exchange.directory.account(digits).lidJid], { labelAssociationAction: { labeled } });
  }

  #sets(index: readonly string[], value: proto.ISyncActionValue): void {
    this.#account.settings.set('regular', index, value, LABEL_VERSION);
    this.#exchange.people.settingsChanged(this.#account, 'regular', null);
  }
}
