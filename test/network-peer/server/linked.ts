import type { Bundle, SignalAddress, SignedPreKey } from '../people/signal.ts';
import { jidOf, SERVER, type Stanza } from '../stanza.ts';
import type { Connection } from '../wire/connection.ts';
import type { Account } from './account.ts';
import { Mailbox } from './mailbox.ts';

/** The data that a device reported when it was linked. */
export interface LinkFacts {
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  readonly registrationId: number;
  readonly signedPreKey: SignedPreKey;
  /** The phone's signature over the identity, which recipients verify. */
  readonly accountSignature: Buffer;
  readonly details: Buffer;
}

const FEW_KEYS = 4;

/** A computer linked to a phone, as the server knows it: a client of the peer. */
export class Linked {
  readonly account: Account;
  readonly device: number;
  readonly facts: LinkFacts;
  readonly mailbox = new Mailbox();
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
  readonly preKeys: { readonly id: number; readonly public: Buffer }[] = [];
  connection: Connection | null = null;
  /** Called when few one-time keys are left. */
  runsLow: (() => void) | null = null;
  /** Whether this session has requested its pending stanzas. */
  isActive = false;
  /** Whether its phone has sent it the keys and the history of a new device. */
  isWelcome = false;

  constructor(account: Account, device: number, facts: LinkFacts) {
    this.account = account;
    this.device = device;
    this.facts = facts;
    ({ identity: this.identity, registrationId: this.registrationId, signedPreKey: this.signedPreKey } = facts);
  }

  get jid(): string {
    return jidOf(this.account.digits, SERVER, this.device);
  }

  get lid(): string {
    return jidOf(this.account.lid, 'lid', this.device);
  }

  /** Name in the journal. */
  get line(): string {
    return `${this.account.digits}:${this.device}`;
  }

  get signal(): SignalAddress {
    return { user: this.account.digits, device: this.device };
  }

  /** Takes a one-time key while any are left. The device is notified when few are left. */
  takeBundle(): Bundle {
    const { registrationId, identity, signedPreKey } = this;
    const preKey = this.preKeys.shift() ?? null;
    if (this.preKeys.length === FEW_KEYS) this.runsLow?.();
    return { registrationId, identity, signedPreKey, preKey };
  }

  /** Delivers a stanza now or at the next login, and again at each login until it is acknowledged. */
  deliver(stanza: Stanza): void {
    this.mailbox.put(stanza);
    if (this.isActive) this.connection?.send(stanza);
  }
}
