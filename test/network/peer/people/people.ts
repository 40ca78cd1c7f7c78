import type { Luck } from '../luck.ts';
import type { Account } from '../server/account.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Linked } from '../server/linked.ts';
import type { Letter } from '../server/messages.ts';
import { notify } from '../server/notices.ts';
import { el, type Stanza } from '../stanza.ts';
import { Handset } from './handset.ts';
import { Person } from './person.ts';
import type { MakeSignalSide } from './signal.ts';
import { welcome } from './welcome.ts';

/** Everybody with a simulated phone. */
export class People {
  readonly #exchange: Exchange;
  readonly #persons = new Map<Account, Person>();
  /** Which client wrote what another client got, for its receipts. */
  readonly #authors = new Map<string, Linked>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  person(account: Account): Person {
    const known = this.#persons.get(account) ?? new Person(this.#exchange, account);
    this.#persons.set(account, known);
    return known;
  }

  receive(handset: Handset, letter: Letter): Promise<void> {
    return this.person(handset.account).receive(handset, letter);
  }

  /** A client's message that went to another client. */
  remember({ id, author }: Letter): void {
    this.#authors.set(id, author);
  }

  /** A client's receipt, for whoever wrote the messages. */
  async hearsReceipt(from: Linked, receipt: Stanza, ids: readonly string[]): Promise<void> {
    const { to = '', participant, type } = receipt.attrs;
    const author = this.#exchange.directory.of(participant ?? to);
    for (const id of ids) {
      const client = this.#authors.get(id);
      if (client && client !== from)
        client.deliver(el('receipt', { from: from.jid, id, type, t: receipt.attrs['t'] }, receipt.content ?? []));
    }
    if (author && author !== from.account) await this.person(author).hearsReceipt(from, receipt, ids);
  }

  seesPresence(from: Linked, stanza: Stanza): void {
    const account = this.#exchange.directory.of(stanza.attrs['to'] ?? '');
    if (account) this.person(account).seesPresence(from, stanza);
  }

  /** Every other computer of the account hears that the settings in `name` changed. */
  settingsChanged(account: Account, name: string, by: Linked | null): void {
    const version = account.settings.version(name);
    for (const linked of account.linked.values())
      if (linked !== by) notify(this.#exchange, linked, account.jid, 'server_sync', [el('collection', { name, version })]);
  }

  /** A phone tells a computer that was just linked to it what it must know. */
  welcome(linked: Linked): void {
    void welcome(this.#exchange, linked);
  }
}

/** Gives a new account its phone. */
export const furnisher =
  (luck: Luck, make: MakeSignalSide) =>
  (account: Account): void =>
    void account.handsets.set(0, new Handset(account, 0, luck, make));
