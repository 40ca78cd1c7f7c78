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

/** A number on the network: its phone, the phone's other simulated devices, and the computers linked to it. */
export class Account {
  readonly digits: string;
  /** The same person's hidden address, without its domain. */
  readonly lid: string;
  name: string | null = null;
  about: string | null = null;
  picture: Buffer | null = null;
  onNetwork = true;
  isBanned = false;
  restriction: Restriction | null = null;
  /** What its phone tells a new computer of its chats. */
  readonly history: proto.IConversation[] = [];
  /** The history lies at the media host, not in its notice. */
  historyIsFile = false;
  /** Whether its chats of two were moved to hidden addresses; null: both kinds of address are taken, and nothing is told. */
  isMigrated: boolean | null = null;
  /** Whether the server and the phone tell its computers of that. */
  tellsMigration = true;
  /** Whether its computers are told the devices of others by number, too, though its chats were moved. */
  seesDevicesByNumber = false;
  /** The name by which others find it, and what protects that. */
  username: string | null = null;
  usernameKey: string | null = null;
  /** False: it is known by its hidden address only. */
  hasNumber = true;
  /** Messages to it need a token that it gave, or a proof for strangers. */
  wantsToken = false;
  /** What others gave it to write to them. */
  readonly tokens = new Map<Account, Buffer>();
  /** Of which its proofs for strangers are made. */
  salt: Buffer | null = null;
  isSaltInHistory = true;
  /** Whom it has exchanged words with. */
  readonly chats = new Set<Account>();
  /** Simulated devices; 0 is the phone. */
  readonly handsets = new Map<number, Handset>();
  readonly linked = new Map<number, Linked>();
  devicesMade = 0;
  readonly settings: Settings;
  /** What it shows as a business; null: it is none. */
  business: BusinessFacts | null = null;
  /** Others may not read its about text. */
  hidesAbout = false;
  /** Settings that are not at `all`. */
  readonly privacy = new Map<string, string>();
  /** Seconds after which messages of new chats disappear; 0: never. */
  timer = 0;
  /** False: others can only invite it to groups. */
  isAddable = true;
  readonly blocked = new Set<Account>();
  /** Asked of a computer before it is linked; null: none is. */
  passkey: AccountPasskey | null = null;
  /** The code that its phone shows, to be compared with the computer's. */
  passkeyCode: string | null = null;
  /** Calls that it made. */
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

/** The number under which the server answers for digits that are dialled and are not the registered ones. */
export type Served = 'dialled' | 'registered';

/** Everybody on the network. Any number is on it, with a phone, unless a test says otherwise. */
export class Directory {
  readonly #random: SeededRandom;
  readonly #furnish: (account: Account) => void;
  readonly #byDigits = new Map<string, Account>();
  readonly #byLid = new Map<string, Account>();
  /** Accounts by digits that are dialled for them, and are not the ones that they registered. */
  readonly #dialled = new Map<string, Account>();
  /** Those of them that the server also takes as an address. */
  readonly #served = new Map<string, { readonly account: Account; readonly answers: Served }>();

  /** `furnish` gives a new account its phone. */
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
   * Whoever dials these digits means this account, which the server knows under others. `answers`: the number under which it answers when it is asked
   * for the devices of these digits; null: it knows nobody there.
   */
  dials(digits: string, account: Account, answers: Served | null): void {
    if (answers === null) this.account(digits).onNetwork = false;
    else this.#served.set(digits, { account, answers });
    this.#dialled.set(digits, account);
  }

  /** Whether these digits are answered for as they were asked, though the account has others. */
  isServedAs(digits: string): boolean {
    return this.#served.get(digits)?.answers === 'dialled';
  }

  /** Whose name this is, in any letter case. */
  called(username: string): Account | null {
    const isTheirs = (account: Account): boolean => account.username?.toLowerCase() === username.toLowerCase();
    return [...this.#byDigits.values()].find(isTheirs) ?? null;
  }

  /** Whom digits mean that somebody typed. */
  typed(digits: string): Account {
    return this.#dialled.get(digits) ?? this.account(digits);
  }

  /** The account behind an address, by number or hidden; null for groups, and for hidden addresses never told. */
  of(jid: string): Account | null {
    const { user, domain } = parseJid(jid);
    if (domain === 'lid') return this.#byLid.get(user) ?? null;
    return domain === SERVER ? (this.#served.get(user)?.account ?? this.account(user)) : null;
  }

  get all(): readonly Account[] {
    return [...this.#byDigits.values()];
  }
}
