import type { proto } from '@whiskeysockets/baileys';
import type { Account } from '../server/account.ts';
import { type BusinessFacts, NEW_BUSINESS } from '../server/business.ts';
import type { Call } from '../server/calls.ts';
import type { Exchange } from '../server/exchange.ts';
import { setBlock } from '../server/privacy.ts';
import type { CollectionName } from '../server/settings.ts';
import { el, parseJid } from '../stanza.ts';

/** A label as the phone shows it, with the numbers of the labelled chats. */
export interface ShownLabel {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  readonly chats: readonly string[];
}

const LABEL_VERSION = 3;
/** End time that the app shows for a chat that is muted forever. */
const FOR_EVER = 253_402_300_799_000;

/** Chats are identified by digits or by a group address. */
export interface MarkedChats {
  readonly archived: readonly string[];
  readonly pinned: readonly string[];
  readonly unread: readonly string[];
  /** End of the mute, epoch ms. */
  readonly muted: Readonly<Record<string, number>>;
}

/** The account pages of a phone's app: what they show, and what the user can change there. */
export class AccountApp {
  readonly #exchange: Exchange;
  readonly #account: Account;

  constructor(exchange: Exchange, account: Account) {
    this.#exchange = exchange;
    this.#account = account;
  }

  /** Makes the account a business, or updates its business facts. */
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

  /** Phone numbers, as digits. */
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
   * Labels as the app shows them. The app knows people by hidden address, so a label that was set by number does not
   * appear.
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

  /** Creates or changes a label; null deletes it. */
  setsLabel(id: string, edit: { readonly name: string; readonly color: number } | null): void {
    this.#sets(['label_edit', id], { labelEditAction: edit ? { ...edit, deleted: false } : { deleted: true } });
  }

  /** Adds a label to the chat with a person (digits), or removes it. */
  marks(id: string, digits: string, labeled = true): void {
    this.#sets(['label_jid', id, this.#exchange.directory.account(digits).lidJid], { labelAssociationAction: { labeled } });
  }

  #sets(index: readonly string[], value: proto.ISyncActionValue): void {
    this.#setsIn('regular', LABEL_VERSION, index, value);
  }

  #setsIn(collection: CollectionName, version: number, index: readonly string[], value: proto.ISyncActionValue): void {
    this.#account.settings.set(collection, index, { timestamp: this.#exchange.clock.now(), ...value }, version);
    this.#exchange.people.settingsChanged(this.#account, collection, null);
  }

  /**
   * Archives, pins, mutes or marks the chat with a person (digits) or a group. `-1` mutes forever, as the app writes
   * it.
   */
  marksChat(chat: string, name: string, value: boolean | number | null): void {
    const jid = this.#jidOf(chat);
    const on = value === true;
    switch (name) {
      case 'archived':
        if (on) this.#setsIn('regular_low', 5, ['pin_v1', jid], { pinAction: { pinned: false } });
        return this.#setsIn('regular_low', 3, ['archive', jid], { archiveChatAction: { archived: on } });
      case 'pinned':
        return this.#setsIn('regular_low', 5, ['pin_v1', jid], { pinAction: { pinned: on } });
      case 'unread':
        return this.#setsIn('regular_low', 3, ['markChatAsRead', jid], { markChatAsReadAction: { read: !on } });
      default: {
        const until = Number(value) >= FOR_EVER ? -1 : Number(value);
        const mute = value === null ? { muted: false } : { muted: true, muteEndTimestamp: until };
        return this.#setsIn('regular_high', 2, ['mute', jid], { muteAction: mute });
      }
    }
  }

  /**
   * Stars or unstars a message in the chat with a person (digits) or a group. `author`: digits; null for the account
   * itself.
   */
  stars(chat: string, netId: string, author: string | null, starred = true): void {
    this.#setsIn('regular_high', 2, ['star', ...this.#messageAt(chat, netId, author)], { starAction: { starred } });
  }

  deletesForMe(chat: string, netId: string, author: string | null): void {
    this.#setsIn('regular_high', 3, ['deleteMessageForMe', ...this.#messageAt(chat, netId, author)], {
      deleteMessageForMeAction: { deleteMedia: false, messageTimestamp: Math.floor(this.#exchange.clock.now() / 1_000) },
    });
  }

  /** Clears the chat up to now. */
  clears(chat: string): void {
    const messageRange = { lastMessageTimestamp: Math.floor(this.#exchange.clock.now() / 1_000) };
    this.#setsIn('regular_high', 6, ['clearChat', this.#jidOf(chat), '1', '0'], { clearChatAction: { messageRange } });
  }

  /** Saves a person (digits) in the address book, or removes them (null). */
  saves(digits: string, name: string | null): void {
    const index = ['contact', this.#jidOf(digits)];
    if (name !== null) return this.#setsIn('critical_unblock_low', 2, index, { contactAction: { fullName: name, firstName: name } });
    this.#account.settings.remove('critical_unblock_low', index, 2);
    this.#exchange.people.settingsChanged(this.#account, 'critical_unblock_low', null);
  }

  #messageAt(chat: string, netId: string, author: string | null): readonly string[] {
    const participant = author !== null && chat.includes('@') ? this.#exchange.directory.account(author).lidJid : '0';
    return [this.#jidOf(chat), netId, author === null ? '1' : '0', participant];
  }

  #jidOf(chat: string): string {
    return chat.includes('@') ? chat : this.#exchange.directory.account(chat).lidJid;
  }

  /**
   * Chat marks as the app shows them. As with labels, people appear only by hidden address. An archive mark counts
   * even if it does not name the chat's last message.
   */
  get marked(): MarkedChats {
    const low = this.#account.settings.shows('regular_low');
    const chatsWith = (kind: string, is: (value: proto.ISyncActionValue) => boolean): readonly string[] =>
      low.flatMap(([[index, jid = ''], value]) => (index === kind && is(value) ? this.#chatAt(jid) : []));
    const muted = this.#account.settings.shows('regular_high').flatMap(([[index, jid = ''], { muteAction: mute }]) => {
      const until = Number(mute?.muteEndTimestamp ?? 0);
      return index === 'mute' && mute?.muted ? this.#chatAt(jid).map((chat) => [chat, until < 0 ? FOR_EVER : until] as const) : [];
    });
    return {
      archived: chatsWith('archive', ({ archiveChatAction: action }) => action?.archived === true),
      pinned: chatsWith('pin_v1', ({ pinAction: action }) => action?.pinned === true),
      unread: chatsWith('markChatAsRead', ({ markChatAsReadAction: action }) => action?.read === false),
      muted: Object.fromEntries(muted),
    };
  }

  #chatAt(jid: string): readonly string[] {
    const { domain } = parseJid(jid);
    if (domain === 'g.us') return [jid];
    const account = domain === 'lid' ? this.#exchange.directory.of(jid) : null;
    return account ? [account.digits] : [];
  }
}
