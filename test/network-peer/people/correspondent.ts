import type { Account } from '../server/account.ts';
import { type Exchange, seconds } from '../server/exchange.ts';
import type { Linked } from '../server/linked.ts';
import type { PeerMessage } from '../server/messages.ts';
import { bytesOf, el, parseJid, type Stanza, withoutDevice } from '../stanza.ts';
import type { Handset, Message, SealType } from './handset.ts';
import { type AskedAgain, askAgain } from './retries.ts';
import { whole } from './sayings.ts';
import { type Arrival, Screen, type Shown, unwrapped } from './screen.ts';
import { tellOlder, tellOwn } from './welcome.ts';
import { Writer, type Written } from './writer.ts';

export interface Habits {
  readonly isOnline: boolean;
  /** Whether the phone sends a read receipt for each message immediately. */
  readonly reads: boolean;
  /** Whether this person writes from their hidden address. */
  readonly isHidden: boolean;
  /** Whether the server also sends the person's other address. */
  readonly tellsNumber: boolean;
}

/** Newest messages that can still be marked as read or played by hand. */
const MAX_ENVELOPES = 1_000;

interface Told {
  /** Sender's number, as digits. */
  readonly by: string;
  readonly what: string;
}

/** Presence of a client: `available`, `composing`, `recording`, `paused`. */
export interface SeenPresence {
  /** Address of the device. */
  readonly from: string;
  readonly to: string;
  readonly what: string;
}

/** The conversations of a person with a phone: messages shown and written there, and receipts for them. */
export class Correspondent {
  readonly account: Account;
  protected readonly exchange: Exchange;
  readonly #screen: Screen;
  readonly #writer: Writer;
  readonly #asked: AskedAgain = new Map();
  readonly #arrivals = new Map<string, number>();
  readonly #envelopes = new Map<string, PeerMessage>();
  /** Receipts from clients for each message that this person wrote. */
  readonly #told = new Map<string, Told[]>();
  readonly #presences: SeenPresence[] = [];
  #habits: Habits = { isOnline: true, reads: true, isHidden: false, tellsNumber: true };
  #later: (() => Promise<void>)[] = [];

  constructor(exchange: Exchange, account: Account) {
    this.exchange = exchange;
    this.#screen = new Screen((digits) => addressesOf(exchange.directory.account(digits)));
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

  /** Computers linked to this phone. */
  get linked(): readonly Linked[] {
    return [...this.account.linked.values()];
  }

  protected get habits(): Habits {
    return this.#habits;
  }

  shows(): readonly Shown[] {
    return this.#screen.messages;
  }

  /** Whether the message was written on this phone by hand. */
  wrote(id: string): boolean {
    return this.#writer.wrote(id);
  }

  /** Returns a message that the phone shows. Throws if it does not show the message. */
  shown(id: string): Shown {
    const shown = this.#screen.get(id);
    if (!shown) throw new Error(`${this.digits} shows no ${id}`);
    return shown;
  }

  /** Number of times a message with this id was decrypted here. A phone shows it only once. */
  arrivals(id: string): number {
    return this.#arrivals.get(id) ?? 0;
  }

  /**
   * Returns all receipts from clients for this person's message: `delivered`, `read`, `played`, including repetitions.
   */
  told(id: string): readonly string[] {
    return (this.#told.get(id) ?? []).map(({ what }) => what);
  }

  /** Returns the numbers (digits) of the people whose computers sent a read receipt. */
  readBy(id: string): readonly string[] {
    return [...new Set((this.#told.get(id) ?? []).filter(({ what }) => what === 'read').map(({ by }) => by))];
  }

  /** Presence received from clients: `available`, `composing`, …. */
  sees(): readonly SeenPresence[] {
    return this.#presences;
  }

  /** Sends a message to a person or a group. Returns its id. */
  async writes(to: string, said: string | Message, how: Written = {}): Promise<string> {
    const { isHidden, tellsNumber } = this.#habits;
    const habit: Written = { addressing: isHidden ? 'lid' : 'pn', tellsOther: tellsNumber };
    const envelope = await this.#writer.write(to, typeof said === 'string' ? { conversation: said } : said, { ...habit, ...how });
    this.#screen.apply(envelope);
    return envelope.netId;
  }

  /** Sends a message to a broadcast list (`…@broadcast`). Returns its id. */
  writesToList(list: string, to: readonly string[], text: string): Promise<string> {
    return this.#writer.writeToList(list, to, { conversation: text });
  }

  /** Opens the chat with a client's message and sends its read receipt, for phones that do not send it immediately. */
  reads(id: string): void {
    this.#tell(id, 'read');
  }

  /** Plays a client's voice message. */
  plays(id: string): void {
    this.#tell(id, 'played');
  }

  /** Changes how the phone reacts to incoming stanzas. When it comes online, it receives everything that is pending. */
  async is(habits: Partial<Habits>): Promise<void> {
    this.#habits = { ...this.#habits, ...habits };
    if (!this.#habits.isOnline) return;
    const waiting = this.#later;
    this.#later = [];
    for (const arrive of waiting) await arrive();
  }

  /** Receives a message from another simulated phone. */
  gets(arrival: Arrival): void {
    this.#screen.apply(arrival);
  }

  /** Receives a client's message on one of this person's devices. */
  async receive(handset: Handset, envelope: PeerMessage): Promise<void> {
    const arrive = (): Promise<void> => this.#open(handset, envelope);
    if (this.#habits.isOnline) await arrive();
    else this.#later.push(arrive);
  }

  /** Handles a client's receipt for a message of this person: delivered, read, or not decryptable. */
  async hearsReceipt(from: Linked, receipt: Stanza, ids: readonly string[]): Promise<void> {
    const { type = 'delivered' } = receipt.attrs;
    if (type === 'retry') return this.#writer.writeAgain(from, receipt);
    const told = { by: from.account.digits, what: type === 'inactive' ? 'delivered' : type };
    for (const id of ids) this.#told.set(id, [...(this.#told.get(id) ?? []), told]);
  }

  seesPresence({ jid }: Linked, { tag, attrs, content }: Stanza): void {
    const inside = Array.isArray(content) ? content[0] : undefined;
    const what = tag === 'presence' ? attrs['type'] : inside?.attrs['media'] === 'audio' ? 'recording' : inside?.tag;
    this.#presences.push({ from: jid, to: attrs['to'] ?? '', what: what ?? '' });
  }

  async #open(handset: Handset, envelope: PeerMessage): Promise<void> {
    const { author, id, group } = envelope;
    const seals = envelope.seals.map((seal) => ({ type: seal.attrs['type'] as SealType, ciphertext: bytesOf(seal) }));
    try {
      const message = await handset.open(author, group?.jid ?? null, seals);
      this.#asked.delete(`${handset.device} ${id}`);
      if (handset.device === 0) this.#show(envelope, message);
    } catch (cause) {
      this.exchange.journal.event('unreadable', handset.jid, { id, from: author.line, cause: String(cause) });
      askAgain(this.exchange, handset, envelope, this.#asked);
    }
  }

  #show(envelope: PeerMessage, message: Message): void {
    const { author, id, group, to, stanza } = envelope;
    if (stanza.attrs['category'] === 'peer') return this.#answer(author, id, unwrapped(message));
    this.#arrivals.set(id, this.arrivals(id) + 1);
    const isOwn = author.account === this.account;
    const chat = group?.jid ?? withoutDevice(isOwn ? (message.deviceSentMessage?.destinationJid ?? to) : author.account.jid);
    const at = this.exchange.clock.now();
    const shown = this.#screen.apply({ netId: id, from: author.account.digits, chat, message, at });
    if (shown) this.exchange.journal.event('shown', author.line, { id, on: this.digits, text: shown.text });
    if (isOwn && this.exchange.directory.of(chat) !== this.account) return;
    this.#keep(envelope);
    this.#confirm(envelope);
    if (this.#habits.reads) this.#confirm(envelope, 'read');
  }

  /** Handles a request from a computer of this phone for messages: older ones of a chat, or ones that it lacks. */
  #answer(computer: Linked, request: string, { protocolMessage }: Message): void {
    const older = protocolMessage?.peerDataOperationRequestMessage?.historySyncOnDemandRequest;
    if (older) void tellOlder(this.exchange, computer, request, older);
    else this.#tellWhole(computer, protocolMessage);
  }

  /** Sends a computer of this phone the content of messages that it lacks. */
  #tellWhole(computer: Linked, protocolMessage: Message['protocolMessage']): void {
    const keys = protocolMessage?.peerDataOperationRequestMessage?.placeholderMessageResendRequest?.map(({ messageKey }) => messageKey);
    const found = (keys ?? []).flatMap((key) => {
      const shown = this.#screen.get(key?.id ?? '');
      return shown && key ? [{ key, message: shown.message, messageTimestamp: Math.floor(shown.at / 1000) }] : [];
    });
    if (found.length > 0) void tellOwn(this.exchange, computer, whole(found));
  }

  #keep(envelope: PeerMessage): void {
    this.#envelopes.set(envelope.id, envelope);
    const [oldest] = this.#envelopes.keys();
    if (this.#envelopes.size > MAX_ENVELOPES && oldest !== undefined) this.#envelopes.delete(oldest);
  }

  #tell(id: string, type: 'read' | 'played'): void {
    const envelope = this.#envelopes.get(id);
    if (!envelope) throw new Error(`${this.digits} got no ${id} from a computer`);
    this.#confirm(envelope, type);
  }

  #confirm({ author, id, group, to }: PeerMessage, type?: 'read' | 'played'): void {
    const { account } = this;
    const isHidden = account.hidesLid || group?.addressing === 'lid' || parseJid(to).domain === 'lid';
    const own = isHidden ? account.lidJid : account.jid;
    const from = group ? { from: group.jid, participant: own } : { from: own };
    author.deliver(el('receipt', { ...from, id, type, t: seconds(this.exchange) }));
  }
}

const addressesOf = ({ jid, lidJid }: Account): readonly string[] => [jid, lidJid];
