import type { Account } from '../server/account.ts';
import { type Exchange, seconds } from '../server/exchange.ts';
import type { Linked } from '../server/linked.ts';
import { unlink } from '../server/logins.ts';
import type { Letter } from '../server/messages.ts';
import { bytesOf, el, parseJid, type Stanza, withoutDevice } from '../stanza.ts';
import type { Handset, Message, SealType } from './handset.ts';
import { type AskedAgain, askAgain } from './retries.ts';
import { type Arrival, Screen, type Shown, unwrapped } from './screen.ts';
import { Writer, type Written } from './writer.ts';

export interface Habits {
  readonly isOnline: boolean;
  /** Whether the phone tells that a message was read: at once, if it does. */
  readonly reads: boolean;
}

/** A person with a phone: what the phone shows, and what a hand can do with it. */
export class Person {
  readonly account: Account;
  readonly #exchange: Exchange;
  readonly #screen = new Screen();
  readonly #writer: Writer;
  readonly #asked: AskedAgain = new Map();
  /** What clients told of each message this person wrote. */
  readonly #told = new Map<string, string[]>();
  readonly #presences: { readonly from: string; readonly what: string }[] = [];
  #habits: Habits = { isOnline: true, reads: true };
  #later: (() => Promise<void>)[] = [];

  constructor(exchange: Exchange, account: Account) {
    this.#exchange = exchange;
    this.account = account;
    this.#writer = new Writer(exchange, account);
  }

  get digits(): string {
    return this.account.digits;
  }

  get jid(): string {
    return this.account.jid;
  }

  get lid(): string {
    return this.account.lidJid;
  }

  /** The computers linked to this phone. */
  get linked(): readonly Linked[] {
    return [...this.account.linked.values()];
  }

  shows(): readonly Shown[] {
    return this.#screen.messages;
  }

  /** What clients told of this message of the person's: `delivered`, `read`, `played`, each as often as it was told. */
  told(id: string): readonly string[] {
    return this.#told.get(id) ?? [];
  }

  /** What clients showed of themselves: `available`, `composing`, … */
  sees(): readonly { readonly from: string; readonly what: string }[] {
    return this.#presences;
  }

  /** Scans what a computer shows; settles when that computer is linked, with its address. */
  scans(qr: string): Promise<string> {
    return this.#exchange.pairings.scan(this.account, qr);
  }

  /** Types the code that a computer shows. */
  types(code: string): Promise<string> {
    return this.#exchange.codes.type(this.account, code);
  }

  /** Writes to a person or a group; answers the message's id. */
  async writes(to: string, said: string | Message, how: Written = {}): Promise<string> {
    const letter = await this.#writer.write(to, typeof said === 'string' ? { conversation: said } : said, how);
    this.#screen.apply(letter);
    return letter.netId;
  }

  /** Removes a computer from this phone; all of them without a number. */
  unlinks(device?: number): void {
    for (const linked of this.linked) if (device === undefined || linked.device === device) unlink(this.#exchange, linked);
  }

  /** Changes the name that others and its own computers see. */
  isCalled(name: string): void {
    this.account.name = name;
    this.account.settings.set('critical_block', ['setting_pushName'], { pushNameSetting: { name } }, 1);
    this.#exchange.people.settingsChanged(this.account, 'critical_block', null);
  }

  /** Changes what it does when something arrives. Coming online it gets all that waits for it. */
  async is(habits: Partial<Habits>): Promise<void> {
    this.#habits = { ...this.#habits, ...habits };
    if (!this.#habits.isOnline) return;
    const waiting = this.#later;
    this.#later = [];
    for (const arrive of waiting) await arrive();
  }

  /** What another simulated phone wrote. */
  gets(arrival: Arrival): void {
    this.#screen.apply(arrival);
  }

  /** A message of a client reaches one of this person's devices. */
  async receive(handset: Handset, letter: Letter): Promise<void> {
    const arrive = (): Promise<void> => this.#open(handset, letter);
    if (this.#habits.isOnline) await arrive();
    else this.#later.push(arrive);
  }

  /** A client tells that it has, has read or cannot read what this person wrote. */
  async hearsReceipt(from: Linked, receipt: Stanza, ids: readonly string[]): Promise<void> {
    const { type = 'delivered' } = receipt.attrs;
    if (type === 'retry') return this.#writer.writeAgain(from, receipt);
    for (const id of ids) this.#told.set(id, [...this.told(id), type === 'inactive' ? 'delivered' : type]);
  }

  seesPresence({ jid }: Linked, { tag, attrs, content }: Stanza): void {
    const inside = Array.isArray(content) ? content[0] : undefined;
    const what = tag === 'presence' ? attrs['type'] : inside?.attrs['media'] === 'audio' ? 'recording' : inside?.tag;
    this.#presences.push({ from: jid, what: what ?? '' });
  }

  async #open(handset: Handset, letter: Letter): Promise<void> {
    const { author, id, group } = letter;
    const seals = letter.seals.map((seal) => ({ type: seal.attrs['type'] as SealType, ciphertext: bytesOf(seal) }));
    try {
      const message = await handset.open(author, group?.jid ?? null, seals);
      this.#asked.delete(`${handset.device} ${id}`);
      if (handset.device === 0) this.#show(letter, message);
    } catch (cause) {
      this.#exchange.journal.event('unreadable', handset.jid, { id, from: author.line, cause: String(cause) });
      askAgain(this.#exchange, handset, letter, this.#asked);
    }
  }

  #show(letter: Letter, message: Message): void {
    const { author, id, group, to, stanza } = letter;
    if (stanza.attrs['category'] === 'peer') return;
    const isOwn = author.account === this.account;
    const chat = group?.jid ?? withoutDevice(isOwn ? (message.deviceSentMessage?.destinationJid ?? to) : author.account.jid);
    const at = this.#exchange.clock.now();
    const shown = this.#screen.apply({ netId: id, from: author.account.digits, chat, message: unwrapped(message), at });
    if (shown) this.#exchange.journal.event('shown', author.line, { id, on: this.digits, text: shown.text });
    if (isOwn && this.#exchange.directory.of(chat) !== this.account) return;
    this.#confirm(letter);
    if (this.#habits.reads) this.#confirm(letter, 'read');
  }

  #confirm({ author, id, group, to }: Letter, type?: 'read'): void {
    const { account } = this;
    const own = group?.addressing === 'lid' || parseJid(to).domain === 'lid' ? account.lidJid : account.jid;
    const from = group ? { from: group.jid, participant: own } : { from: own };
    author.deliver(el('receipt', { ...from, id, type, t: seconds(this.#exchange) }));
  }
}
