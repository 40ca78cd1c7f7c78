import type { SeededRandom } from '../random.ts';
import type { Account } from '../server/account.ts';
import { type Exchange, seconds } from '../server/exchange.ts';
import type { Linked } from '../server/linked.ts';
import type { PeerMessage } from '../server/messages.ts';
import { notify } from '../server/notices.ts';
import { el, isGroup, parseJid, type Stanza } from '../stanza.ts';
import { Handset } from './handset.ts';
import { Person } from './person.ts';
import type { MakeSignalSide } from './signal.ts';
import { welcome } from './welcome.ts';

/** All people with a simulated phone. */
export class People {
  readonly #exchange: Exchange;
  readonly #persons = new Map<Account, Person>();
  /** Authors of messages between clients by message id, to route their receipts. */
  readonly #authors = new Map<string, Linked>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  person(account: Account): Person {
    const known = this.#persons.get(account) ?? new Person(this.#exchange, account);
    this.#persons.set(account, known);
    return known;
  }

  receive(handset: Handset, envelope: PeerMessage): Promise<void> {
    return this.person(handset.account).receive(handset, envelope);
  }

  /** Remembers a message from one client to another. */
  remember({ id, author }: PeerMessage): void {
    this.#authors.set(id, author);
  }

  /** Delivers a client's receipt to the author of the messages. */
  async hearsReceipt(from: Linked, receipt: Stanza, ids: readonly string[]): Promise<void> {
    const { to = '', participant, type } = receipt.attrs;
    const author = this.#exchange.directory.of(participant ?? to);
    const inside = type === 'retry' ? receipt.content : undefined;
    for (const id of ids) {
      const client = this.#authors.get(id);
      if (client && client !== from)
        client.deliver(el('receipt', { ...this.#addressed(from, receipt), id, type, t: seconds(this.#exchange) }, inside ?? []));
    }
    if (author && author !== from.account) await this.person(author).hearsReceipt(from, receipt, ids);
  }

  /**
   * Returns the sender attributes of a receipt as the author's computer sees them, using the kind of address to which
   * the message was sent.
   */
  #addressed(from: Linked, { attrs: { to = '', recipient } }: Stanza): Stanza['attrs'] {
    const group = isGroup(to) ? this.#exchange.groups.get(to) : null;
    const isHidden = group ? group.addressing === 'lid' : parseJid(to).domain === 'lid';
    const own = isHidden ? from.lid : from.jid;
    return group ? { from: group.jid, participant: own } : { from: own, ...(recipient !== undefined && { recipient }) };
  }

  seesPresence(from: Linked, stanza: Stanza): void {
    const account = this.#exchange.directory.of(stanza.attrs['to'] ?? '');
    if (account) this.person(account).seesPresence(from, stanza);
  }

  /** Notifies all other computers of the account that the settings in `name` changed. */
  settingsChanged(account: Account, name: string, by: Linked | null): void {
    const version = account.settings.version(name);
    for (const linked of account.linked.values())
      if (linked !== by) notify(this.#exchange, linked, account.jid, 'server_sync', [el('collection', { name, version })]);
  }

  /** Notifies all computers of an account of a change to the account, regardless of its origin. */
  accountChanged(account: Account, type: string, content: readonly Stanza[]): void {
    for (const linked of account.linked.values()) notify(this.#exchange, linked, account.jid, type, content);
  }

  /** Sends a newly linked computer what it needs from its phone. */
  welcome(linked: Linked): void {
    void welcome(this.#exchange, linked);
  }
}

/** Creates the phone of a new account. */
export const furnisher =
  (random: SeededRandom, make: MakeSignalSide) =>
  (account: Account): void =>
    void account.handsets.set(0, new Handset(account, 0, random, make));
