import type { Clock } from '../../runtime/clock.ts';
import type { Fate, Way } from './journal.ts';
import type { Stanza } from './stanza.ts';

/** Trouble for single stanzas. Everything left out means any; `times`: how many stanzas, without it all until it is lifted. */
export interface StanzaFault {
  readonly kind: 'drop' | 'duplicate' | 'reorder' | 'delay';
  readonly way?: Way;
  readonly tag?: string;
  /** The account, digits. */
  readonly phone?: string;
  readonly where?: (stanza: Stanza) => boolean;
  readonly times?: number;
  /** Of `delay`: those behind it overtake it. */
  readonly ms?: number;
}

/** The server answers a message with an error in place of taking it. */
export interface MessageRefusal {
  readonly kind: 'refuse-messages';
  /** 463: the account may start no new chats. 479: malformed, to the server's mind. */
  readonly code: number;
  /** Seconds that it asks to wait. */
  readonly backoff?: number;
  readonly phone?: string;
  readonly times?: number;
  readonly forMs?: number;
}

/** What the server's acks of messages say beside that they were taken. */
export interface AckWord {
  readonly kind: 'acks';
  readonly says: Readonly<Record<string, string | number>>;
  readonly phone?: string;
  readonly times?: number;
}

/** The server answers so many questions in a time, and refuses the others with 429. */
export interface QuestionLimit {
  readonly kind: 'limit-questions';
  readonly most: number;
  readonly everyMs: number;
  /** Of one namespace. */
  readonly xmlns?: string;
  readonly phone?: string;
}

/** The server refuses logins. */
export interface LoginRefusal {
  readonly kind: 'refuse-logins';
  /** 401, 403, 503, … */
  readonly code: number;
  /** What it says beside the code. */
  readonly says?: Readonly<Record<string, string | number>>;
  /** Of clients that ask for codes, in place of those that log in. */
  readonly newcomers?: true;
  readonly phone?: string;
  readonly times?: number;
  readonly forMs?: number;
}

/** The server lets in no build of the client below this one, whether it logs in or asks for codes. */
export interface BuildRefusal {
  readonly kind: 'refuse-builds';
  /** The last number of the version. */
  readonly below: number;
}

/** Nothing passes either way and nobody is told, also on connections that are opened meanwhile; then, after `forMs`, it is cut. */
export interface HalfOpen {
  readonly kind: 'half-open';
  readonly phone?: string;
  readonly forMs?: number;
}

/** What the server gives a computer that links is forged: sealed without the code's secret, or not signed by the phone. */
export interface Forgery {
  readonly kind: 'forge';
  readonly what: 'secret' | 'signature';
  readonly times?: number;
}

/** What is sealed for somebody's computers is damaged on its way: they cannot read it. */
export interface Spoiling {
  readonly kind: 'spoil';
  readonly phone?: string;
  /** Of a message to a group only what is sealed for all. */
  readonly only?: 'skmsg';
  /** How many messages. */
  readonly times?: number;
}

/** The server tells something else of a person who is asked about; null: what it knows. */
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
  /** What `reorder` holds back until the next one passed. */
  held: (() => void) | null;
  /** When questions were answered that `limit-questions` counts. */
  answered: readonly number[];
}

/** What is wrong with the network at present. */
export class Faults {
  readonly #clock: Clock;
  readonly #active = new Set<Active<Fault>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers how to lift it. */
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

  /** Carries one stanza on, late, twice or never. */
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

  /** One too many of this namespace. */
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

  /** Of a client that asks for codes. */
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

  /** Answers which types of what is sealed; null: none. */
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

  /** What waits for the next stanza of its kind: delivered behind it. */
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
