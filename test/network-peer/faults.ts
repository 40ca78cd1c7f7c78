import type { Clock } from '../../runtime/clock.ts';
import type { Fate, Way } from './journal.ts';
import type { Stanza } from './stanza.ts';

/**
 * A fault for single stanzas. Omitted fields match anything. `times`: number of stanzas to affect; default: all until
 * it is lifted.
 */
export interface StanzaFault {
  readonly kind: 'drop' | 'duplicate' | 'reorder' | 'delay';
  readonly way?: Way;
  readonly tag?: string;
  /** Account number, as digits. */
  readonly phone?: string;
  readonly where?: (stanza: Stanza) => boolean;
  readonly times?: number;
  /** For `delay`, in ms. Later stanzas overtake the delayed one. */
  readonly ms?: number;
}

/** The server answers a message with an error instead of accepting it. */
export interface MessageRefusal {
  readonly kind: 'refuse-messages';
  /** 463: the account may not start new chats. 479: the server considers the message malformed. */
  readonly code: number;
  /** Seconds to wait, as requested by the server. */
  readonly backoff?: number;
  readonly phone?: string;
  readonly times?: number;
  readonly forMs?: number;
}

/** Additional attributes of the server's acks for messages. */
export interface AckWord {
  readonly kind: 'acks';
  readonly says: Readonly<Record<string, string | number>>;
  readonly phone?: string;
  readonly times?: number;
}

/** The server answers a limited number of queries per time window, and rejects the others with 429. */
export interface QuestionLimit {
  readonly kind: 'limit-questions';
  readonly most: number;
  readonly everyMs: number;
  /** Namespace of the limited queries. */
  readonly xmlns?: string;
  readonly phone?: string;
}

/** The server refuses logins. */
export interface LoginRefusal {
  readonly kind: 'refuse-logins';
  /** 401, 403, 503, … */
  readonly code: number;
  /** Additional attributes of the refusal. */
  readonly says?: Readonly<Record<string, string | number>>;
  /** Whether to refuse clients that request pairing codes, instead of clients that log in. */
  readonly newcomers?: true;
  readonly phone?: string;
  readonly times?: number;
  readonly forMs?: number;
}

/** The server rejects clients with a lower build number, both at login and when they request pairing codes. */
export interface BuildRefusal {
  readonly kind: 'refuse-builds';
  /** Last component of the version number. */
  readonly below: number;
}

/**
 * A half-open connection: no data passes in either direction and no side is notified, including on new connections.
 * After `forMs`, it is cut.
 */
export interface HalfOpen {
  readonly kind: 'half-open';
  readonly phone?: string;
  readonly forMs?: number;
}

/**
 * Forges the identity that the server sends to a newly linked computer: not sealed with the code's secret, or not
 * signed by the phone.
 */
export interface Forgery {
  readonly kind: 'forge';
  readonly what: 'secret' | 'signature';
  readonly times?: number;
}

/** Corrupts the ciphertext for an account's computers, so that they cannot decrypt it. */
export interface Spoiling {
  readonly kind: 'spoil';
  readonly phone?: string;
  /** For group messages: corrupts only the part that is encrypted for the whole group. */
  readonly only?: 'skmsg';
  /** Number of messages to corrupt. */
  readonly times?: number;
}

/** Replaces the server's answer to queries about a person; null for the real answer. */
export interface OtherWord {
  readonly kind: 'tells';
  readonly of: (user: Stanza) => readonly Stanza[] | null;
}

export type Fault =
  | AckWord
  | Spoiling
  | OtherWord
  | Forgery
  | StanzaFault
  | MessageRefusal
  | LoginRefusal
  | BuildRefusal
  | QuestionLimit
  | HalfOpen;

interface Active<F extends Fault> {
  readonly fault: F;
  left: number;
  readonly until: number;
  /** Stanza that `reorder` holds back until the next one has passed. */
  held: (() => void) | null;
  /** Times of the answered queries that `limit-questions` counts. */
  answered: readonly number[];
}

/** The faults that currently affect the network. */
export class Faults {
  readonly #clock: Clock;
  readonly #active = new Set<Active<Fault>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a fault and returns a function that lifts it. */
  add(fault: Fault): () => void {
    const forMs = 'forMs' in fault ? fault.forMs : undefined;
    const active: Active<Fault> = {
      fault,
      left: ('times' in fault ? fault.times : undefined) ?? Number.POSITIVE_INFINITY,
      until: forMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + forMs,
      held: null,
      answered: [],
    };
    this.#active.add(active);
    return () => this.#lift(active);
  }

  /** Delivers a stanza: normally, late, twice or not at all. */
  carry(way: Way, phone: string | null, stanza: Stanza, deliver: () => void): Fate {
    const released = this.#release(way, phone, stanza);
    const faults = released ? [] : this.#take('drop', 'duplicate', 'reorder', 'delay');
    const active = faults.find((each) => concerns(each.fault, way, phone, stanza));
    const fate = active ? this.#apply(active, deliver) : pass(deliver);
    released?.();
    return fate;
  }

  refusesMessage(phone: string): MessageRefusal | null {
    return this.#refusal(this.#take('refuse-messages'), phone);
  }

  ackSays(phone: string): AckWord['says'] {
    return this.#refusal(this.#take('acks'), phone)?.says ?? {};
  }

  /** Whether this query exceeds the limit of its namespace. */
  refusesQuestion(phone: string, xmlns: string): boolean {
    const now = this.#clock.now();
    return this.#take('limit-questions').some((active) => {
      const { most, everyMs, ...of } = active.fault;
      if ((of.phone ?? phone) !== phone || (of.xmlns ?? xmlns) !== xmlns) return false;
      active.answered = active.answered.filter((at) => at > now - everyMs);
      if (active.answered.length >= most) return true;
      active.answered = [...active.answered, now];
      return false;
    });
  }

  refusesLogin(phone: string): LoginRefusal | null {
    return this.#refusal(
      this.#take('refuse-logins').filter(({ fault }) => !fault.newcomers),
      phone,
    );
  }

  /** Returns the refusal for a client that requests pairing codes, if there is one. */
  refusesNewcomer(): LoginRefusal | null {
    return this.#refusal(
      this.#take('refuse-logins').filter(({ fault }) => fault.newcomers),
      '',
    );
  }

  refusesBuild(build: number): boolean {
    return this.#take('refuse-builds').some(({ fault }) => build < fault.below);
  }

  forges(what: Forgery['what']): boolean {
    const active = this.#take('forge').find(({ fault }) => fault.what === what);
    if (active) this.#count(active);
    return active !== undefined;
  }

  /** Returns a predicate for the ciphertext types to corrupt; null for none. */
  spoils(phone: string): ((type: string | undefined) => boolean) | null {
    const active = this.#take('spoil').find(({ fault }) => fault.phone === undefined || fault.phone === phone);
    if (!active) return null;
    this.#count(active);
    const { only } = active.fault;
    return (type) => only === undefined || type === only;
  }

  tells(user: Stanza): readonly Stanza[] | null {
    for (const { fault } of this.#take('tells')) {
      const told = fault.of(user);
      if (told) return told;
    }
    return null;
  }

  isSilent(phone: string | null): boolean {
    return this.#take('half-open').some(({ fault }) => fault.phone === undefined || fault.phone === phone);
  }

  #refusal<F extends MessageRefusal | LoginRefusal | AckWord>(those: readonly Active<F>[], phone: string): F | null {
    const active = those.find(({ fault }) => fault.phone === undefined || fault.phone === phone);
    if (!active) return null;
    this.#count(active);
    return active.fault;
  }

  #take<K extends Fault['kind']>(...kinds: readonly K[]): readonly Active<Extract<Fault, { kind: K }>>[] {
    if (this.#active.size === 0) return [];
    const now = this.#clock.now();
    for (const active of this.#active) if (active.until <= now) this.#active.delete(active);
    const isWanted = (active: Active<Fault>): active is Active<Extract<Fault, { kind: K }>> =>
      kinds.some((kind) => kind === active.fault.kind);
    return [...this.#active].filter((active) => active.left > 0).filter(isWanted);
  }

  #apply(active: Active<StanzaFault>, deliver: () => void): Fate {
    this.#count(active);
    switch (active.fault.kind) {
      case 'drop':
        return 'dropped';
      case 'duplicate':
        deliver();
        deliver();
        return 'doubled';
      case 'delay':
        this.#clock.after(active.fault.ms ?? 0, deliver);
        return 'delayed';
      case 'reorder':
        active.held = deliver;
        return 'held';
    }
  }

  #count(active: Active<Fault>): void {
    active.left -= 1;
    if (active.left <= 0 && active.fault.kind !== 'reorder') this.#active.delete(active);
  }

  /** Returns the delivery of the held-back stanza, which takes place after the next one of its kind. */
  #release(way: Way, phone: string | null, stanza: Stanza): (() => void) | null {
    for (const active of this.#active) {
      const { held, fault } = active;
      if (!held || fault.kind !== 'reorder' || !concerns(fault, way, phone, stanza)) continue;
      active.held = null;
      return held;
    }
    return null;
  }

  #lift(active: Active<Fault>): void {
    this.#active.delete(active);
    active.held?.();
    active.held = null;
  }
}

function pass(deliver: () => void): Fate {
  deliver();
  return 'passed';
}

function concerns(fault: StanzaFault, way: Way, phone: string | null, stanza: Stanza): boolean {
  const isOnConnection = (fault.way === undefined || fault.way === way) && (fault.phone === undefined || fault.phone === phone);
  return isOnConnection && (fault.tag === undefined || fault.tag === stanza.tag) && (fault.where?.(stanza) ?? true);
}
