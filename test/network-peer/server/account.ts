import { createHash } from 'node:crypto';
import type { proto } from '@whiskeysockets/baileys';
import type { Handset } from '../people/handset.ts';
import type { SeededRandom } from '../random.ts';
import { jidOf, parseJid, SERVER } from '../stanza.ts';
import type { BusinessFacts } from './business.ts';
import type { Call } from './calls.ts';
import type { Linked } from './linked.ts';
import type { AccountPasskey } from './passkeys.ts';
import type { Restriction } from './profiles.ts';
import { Settings } from './settings.ts';

const LID_DIGITS = 14;

/** A number on the network: its phone, its other simulated devices, and the computers linked to it. */
export class Account {
  readonly digits: string;
  /** Hidden address of the same person, without its domain. */
  readonly lid: string;
  name: string | null = null;
  about: string | null = null;
  picture: Buffer | null = null;
  onNetwork = true;
  isBanned = false;
  restriction: Restriction | null = null;
  /** Chats that the phone sends to a newly linked computer. */
  readonly history: proto.IConversation[] = [];
  /** Whether the history is a file on the media host instead of a part of its notification. */
  historyIsFile = false;
  /** Whether its direct chats use hidden addresses; null: both kinds are accepted, and nothing is announced. */
  isMigrated: boolean | null = null;
  /** Whether the server and the phone notify its computers of that. */
  tellsMigration = true;
  /** Whether its computers may query others' devices by number despite the migration to hidden addresses. */
  seesDevicesByNumber = false;
  /** Username by which others find it, and the key that protects it. */
  username: string | null = null;
  usernameKey: string | null = null;
  /** False if the account is known only by its hidden address. */
  hasNumber = true;
  /** Whether queries do not return its hidden address, from which its phone nevertheless sends receipts. */
  hidesLid = false;
  /** Files that its phone can upload again, by message id. */
  readonly keptFiles = new Map<string, { readonly mediaKey: Uint8Array; readonly sealed: Buffer }>();
  /** Whether messages to it need a token from it or a proof for strangers. */
  wantsToken = false;
  /** Tokens from others that allow writing to them. */
  readonly tokens = new Map<Account, Buffer>();
  /** Salt of its proofs for strangers. */
  salt: Buffer | null = null;
  isSaltInHistory = true;
  /** Accounts with which it has exchanged messages. */
  readonly chats = new Set<Account>();
  /** Simulated devices by number; 0 is the phone. */
  readonly handsets = new Map<number, Handset>();
  readonly linked = new Map<number, Linked>();
  devicesMade = 0;
  readonly settings: Settings;
  /** Business profile; null if the account is not a business. */
  business: BusinessFacts | null = null;
  /** Whether others may not read its about text. */
  hidesAbout = false;
  /** Settings that differ from `all`. */
  readonly privacy = new Map<string, string>();
  /** Seconds after which messages in new chats disappear; 0: never. */
  timer = 0;
  /** False if others can only invite it to groups. */
  isAddable = true;
  readonly blocked = new Set<Account>();
  /** Passkey that is requested before a computer is linked; null if not required. */
  passkey: AccountPasskey | null = null;
  /** Code that its phone shows, for comparison with the computer's. */
  passkeyCode: string | null = null;
  /** Outgoing calls. */
  readonly calls: Call[] = [];

  constructor(digits: string, settings: Settings) {
    this.digits = digits;
    this.settings = settings;
    this.lid = lidOf(digits);
  }

  get jid(): string {
    return jidOf(this.digits, SERVER);
  }

  get lidJid(): string {
    return jidOf(this.lid, 'lid');
  }

  get phone(): Handset {
    const phone = this.handsets.get(0);
    if (!phone) throw new Error(`${this.digits} has no phone`);
    return phone;
  }
}

function lidOf(digits: string): string {
  const hash = createHash('sha256').update(`lid ${digits}`).digest('hex');
  return `9${BigInt(`0x${hash}`)}`.slice(0, LID_DIGITS);
}

/** Which number the server uses in responses about digits that differ from the registered ones. */
export type Served = 'dialled' | 'registered';

/** All accounts on the network. Every number has an account with a phone, unless a test says otherwise. */
export class Directory {
  readonly #random: SeededRandom;
  readonly #furnish: (account: Account) => void;
  readonly #byDigits = new Map<string, Account>();
  readonly #byLid = new Map<string, Account>();
  /** Accounts by unregistered digits under which they can be dialled. */
  readonly #dialled = new Map<string, Account>();
  /** Dialled digits that the server also accepts as an address. */
  readonly #served = new Map<string, { readonly account: Account; readonly answers: Served }>();

  /** `furnish` creates the phone of a new account. */
  constructor(random: SeededRandom, furnish: (account: Account) => void) {
    this.#random = random;
    this.#furnish = furnish;
  }

  account(digits: string): Account {
    const known = this.#byDigits.get(digits);
    if (known) return known;
    const account = new Account(digits, new Settings(this.#random));
    this.#byDigits.set(digits, account);
    this.#byLid.set(account.lid, account);
    this.#furnish(account);
    return account;
  }

  /**
   * Makes these digits mean an account that the server knows under others. `answers`: number that the server uses in
   * responses to device queries for these digits; null if the server finds no account.
   */
  dials(digits: string, account: Account, answers: Served | null): void {
    if (answers === null) this.account(digits).onNetwork = false;
    else this.#served.set(digits, { account, answers });
    this.#dialled.set(digits, account);
  }

  /** Whether the server responds under the queried digits although the account is registered under others. */
  isServedAs(digits: string): boolean {
    return this.#served.get(digits)?.answers === 'dialled';
  }

  /** Returns the account with this username, ignoring case. */
  called(username: string): Account | null {
    const isTheirs = (account: Account): boolean => account.username?.toLowerCase() === username.toLowerCase();
    return [...this.#byDigits.values()].find(isTheirs) ?? null;
  }

  /** Returns the account that typed digits mean. */
  typed(digits: string): Account {
    return this.#dialled.get(digits) ?? this.account(digits);
  }

  /**
   * Returns the account with an address (by number or hidden); null for groups and for hidden addresses that were
   * never disclosed.
   */
  of(jid: string): Account | null {
    const { user, domain } = parseJid(jid);
    if (domain === 'lid') return this.#byLid.get(user) ?? null;
    return domain === SERVER ? (this.#served.get(user)?.account ?? this.account(user)) : null;
  }

  get all(): readonly Account[] {
    return [...this.#byDigits.values()];
  }
}
