import type { Clock } from '../../runtime/clock.ts';
import type { Stanza } from './stanza.ts';

/** `up`: from the client to the server. */
export type Way = 'up' | 'down';

/** Outcome of a stanza. */
export type Fate = 'passed' | 'dropped' | 'delayed' | 'doubled' | 'held' | 'silent';

export type EventName =
  /** A client completed the handshake. `facts.address` is its remote address. */
  | 'connected'
  | 'closed'
  /** The client's report about itself: `facts.build`, and `facts.phone` if it logs in. */
  | 'introduced'
  /** A client without a login requested pairing codes. */
  | 'registered'
  | 'pairing-code-asked'
  | 'passkey-asked'
  /** `facts.tag`: the rejected response; `facts.why`: the reason. */
  | 'passkey-refused'
  /** `facts.isProven`: no code comparison was needed. */
  | 'passkey-linked'
  | 'paired'
  | 'logged-in'
  /** The client requested its pending stanzas; `facts.waiting` is their number. */
  | 'active'
  | 'login-refused'
  | 'unlinked'
  | 'pre-keys'
  | 'mex'
  | 'uploaded'
  | 'downloaded'
  | 'deleted'
  /** A simulated phone shows a message: `facts.id`, `facts.on` (digits), `facts.text`. */
  | 'shown'
  /** A client left out devices of one side of a chat; `facts.missing` lists their addresses. */
  | 'incomplete'
  /** A simulated phone could not decrypt a message and requests it again. */
  | 'unreadable'
  /** The client violated a rule that applies to every client, see `facts.what`. */
  | 'violation'
  /** The peer does not support this stanza, or failed while handling it. */
  | 'trouble';

export interface StanzaEntry {
  readonly kind: 'stanza';
  readonly seq: number;
  /** Epoch ms on the peer's clock. */
  readonly at: number;
  /** The device (`6281…:3`), or the number of the connection before login. */
  readonly line: string;
  readonly way: Way;
  readonly fate: Fate;
  readonly stanza: Stanza;
}

export interface EventEntry {
  readonly kind: 'event';
  readonly seq: number;
  readonly at: number;
  readonly line: string;
  readonly name: EventName;
  readonly facts: Readonly<Record<string, unknown>>;
}

export type Entry = StanzaEntry | EventEntry;

/** Selects stanzas. Every given attribute must be equal. */
export interface StanzaFilter {
  readonly way?: Way;
  readonly tag?: string;
  readonly line?: string;
  readonly attrs?: Readonly<Record<string, string>>;
}

interface Waiter {
  readonly wants: (entry: Entry) => boolean;
  readonly heard: (entry: Entry) => void;
}

/** Everything that was sent over the wire, and its outcome, oldest first. Keeps the newest `keep` entries. */
export class Journal {
  readonly #clock: Clock;
  readonly #keep: number;
  readonly #waiters = new Set<Waiter>();
  #entries: Entry[] = [];
  #seq = 0;

  constructor(clock: Clock, keep: number) {
    this.#clock = clock;
    this.#keep = keep;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Total number of entries, including those that were dropped. */
  get count(): number {
    return this.#seq;
  }

  stanza(line: string, way: Way, fate: Fate, stanza: Stanza): void {
    this.#add({ kind: 'stanza', ...this.#stamp(), line, way, fate, stanza });
  }

  event(name: EventName, line: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#add({ kind: 'event', ...this.#stamp(), line, name, facts });
  }

  stanzas(filter: StanzaFilter = {}): readonly StanzaEntry[] {
    return this.#entries.filter((entry) => entry.kind === 'stanza' && fits(entry, filter)) as readonly StanzaEntry[];
  }

  events(name: EventName): readonly EventEntry[] {
    return this.#entries.filter((entry): entry is EventEntry => entry.kind === 'event' && entry.name === name);
  }

  /** Resolves with the first past or future event with this name and these facts. */
  untilEvent(name: EventName, facts: Readonly<Record<string, unknown>> = {}): Promise<EventEntry> {
    const wants = (entry: Entry): boolean =>
      entry.kind === 'event' && entry.name === name && Object.entries(facts).every(([key, value]) => entry.facts[key] === value);
    return this.until(wants) as Promise<EventEntry>;
  }

  /** Resolves with the first past or future stanza that matches the filter. */
  untilStanza(filter: StanzaFilter): Promise<StanzaEntry> {
    return this.until((entry) => entry.kind === 'stanza' && fits(entry, filter)) as Promise<StanzaEntry>;
  }

  /** Resolves with the first past or future entry that matches. Waits without a timeout. */
  until(wants: (entry: Entry) => boolean): Promise<Entry> {
    const found = this.#entries.find(wants);
    if (found) return Promise.resolve(found);
    return new Promise((heard) => {
      this.#waiters.add({ wants, heard });
    });
  }

  clear(): void {
    this.#entries = [];
  }

  #stamp(): { seq: number; at: number } {
    this.#seq += 1;
    return { seq: this.#seq, at: this.#clock.now() };
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * this.#keep) this.#entries = this.#entries.slice(-this.#keep);
    for (const waiter of this.#waiters) {
      if (!waiter.wants(entry)) continue;
      this.#waiters.delete(waiter);
      waiter.heard(entry);
    }
  }
}

function fits(entry: StanzaEntry, { way, tag, line, attrs = {} }: StanzaFilter): boolean {
  if ((way && entry.way !== way) || (tag && entry.stanza.tag !== tag) || (line && entry.line !== line)) return false;
  return Object.entries(attrs).every(([name, value]) => entry.stanza.attrs[name] === value);
}
