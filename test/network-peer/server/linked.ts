import type { Bundle, SignalAddress, SignedPreKey } from '../people/signal.ts';
import { jidOf, SERVER, type Stanza } from '../stanza.ts';
import type { Connection } from '../wire/connection.ts';
import type { Account } from './account.ts';
import { Mailbox } from './mailbox.ts';

/** What a device told of itself when it was linked. */
export interface LinkFacts {
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  readonly registrationId: number;
  readonly signedPreKey: SignedPreKey;
  /** The phone's signature over it, as recipients check it. */
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
  /** Whether this login has asked for what waits. */
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

  /** Its name in the journal. */
  get line(): string {
    return `${this.account.digits}:${this.device}`;
  }

  get signal(): SignalAddress {
    return { user: this.account.digits, device: this.device };
  }

  /** Hands out a one-time key, while there are any; the device is told when few are left. */
  takeBundle(): Bundle {
    const { registrationId, identity, signedPreKey } = this;
    const preKey = this.preKeys.shift() ?? null;
    if (this.preKeys.length === FEW_KEYS) this.runsLow?.();
    return { registrationId, identity, signedPreKey, preKey };
  }

  /** Now if it is connected, at its next login if not; again at each login until it says that it has it. */
  deliver(stanza: Stanza): void {
    this.mailbox.put(stanza);
    if (this.isActive) this.connection?.send(stanza);
  }
}
