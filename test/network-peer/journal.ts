import type { Clock } from '../../runtime/clock.ts';
import type { Stanza } from './stanza.ts';

/** `up`: from the client. */
export type Way = 'up' | 'down';

/** What became of a stanza on its way. */
export type Fate = 'passed' | 'dropped' | 'delayed' | 'doubled' | 'held' | 'silent';

export type EventName =
  /** A client shook hands; `facts.address` is where it called from. */
  | 'connected'
  | 'closed'
  /** What a client said of itself: `facts.build`, and `facts.phone` where it logs in. */
  | 'introduced'
  /** A client without a login asked for codes. */
  | 'registered'
  | 'pairing-code-asked'
  | 'passkey-asked'
  /** `facts.tag` and `facts.why`: which of its answers, and what was wrong with it. */
  | 'passkey-refused'
  /** `facts.isProven`: nobody had to compare a code. */
  | 'passkey-linked'
  | 'paired'
  | 'logged-in'
  /** The login asked for what waits; `facts.waiting` counts it. */
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
  /** A client left out devices of the two sides of a chat; `facts.missing` are their addresses. */
  | 'incomplete'
  /** A simulated phone could not read a message and asks for it again. */
  | 'unreadable'
  /** The client did what no client may do, see `facts.what`. */
  | 'violation'
  /** The peer itself does not know this stanza or broke on it. */
  | 'trouble';

export interface StanzaEntry {
  readonly kind: 'stanza';
  readonly seq: number;
  /** Epoch ms of the peer's clock. */
  readonly at: number;
  /** The device, `6281…:3`, or the number of the connection while it has no login. */
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

/** Which stanzas: every attribute given must be equal. */
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

/** All that went over the wire and what came of it, oldest first; the newest `keep` entries. */
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

  /** How many there ever were. */
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

  /** The first event of this name whose facts are these, now or later. */
  untilEvent(name: EventName, facts: Readonly<Record<string, unknown>> = {}): Promise<EventEntry> {
    const wants = (entry: Entry): boolean =>
      entry.kind === 'event' && entry.name === name && Object.entries(facts).every(([key, value]) => entry.facts[key] === value);
    return this.until(wants) as Promise<EventEntry>;
  }

  /** The first stanza that fits, now or later. */
  untilStanza(filter: StanzaFilter): Promise<StanzaEntry> {
    return this.until((entry) => entry.kind === 'stanza' && fits(entry, filter)) as Promise<StanzaEntry>;
  }

  /** The first entry that is wanted, now or later: waits without end. */
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
