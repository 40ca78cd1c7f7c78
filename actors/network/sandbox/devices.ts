import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { MemberReceipt } from '../member-receipts.ts';
import type { ConnectionEvent, Credentials, IdentityFact, KeptEvent } from '../port.ts';
import { isPhone, type Names } from './names.ts';

const KNOWN_PEOPLE = 2_000;

/** `say` delivers an event after one latency. `tell` delivers at once, so call it only from a timer. */
export interface Login {
  readonly deviceId: string;
  say(event: ConnectionEvent): void;
  tell(event: ConnectionEvent): void;
  /** Ends the login. `until`: when the network says that it will accept logins again, epoch ms. */
  end(code: number, until?: number): void;
}

/** A device linked to a phone, logged in or not, and the data that the network stores for it. */
export class LinkedDevice {
  readonly phone: string;
  readonly number: number;
  readonly secret: string;
  login: Login | null = null;
  /** Whether the device shows its account as online; false at the start of each login. */
  isAvailable = false;
  /** The account's form of addresses (chat-forms.ts), as learned at login or by a later refusal. */
  knownForm: boolean | null = null;
  /** Events by token. `waiting`: not yet sent in this login. `handed`: sent but not acknowledged. */
  waiting = new Map<string, KeptEvent>();
  readonly handed = new Map<string, KeptEvent>();
  /** Receipts not yet sent in an event, and the login that will receive them. */
  receipts: Record<'delivered' | 'read', string[]> = { delivered: [], read: [] };
  memberReceipts: MemberReceipt[] = [];
  receiptsDue: Login | null = null;
  /** Acks held back by a slow network. */
  heldAcks: (() => void)[] = [];
  readonly introduced = new RecentCache<string, string>(KNOWN_PEOPLE);
  /** Facts recently reported to this device about a person, by registered number. */
  readonly newlyIntroduced = new RecentCache<string, readonly IdentityFact[]>(KNOWN_PEOPLE);
  #tokens = 0;

  constructor(phone: string, number: number, secret: string) {
    this.phone = phone;
    this.number = number;
    this.secret = secret;
  }

  token(): string {
    this.#tokens += 1;
    return `told-${this.#tokens}`;
  }

  credentials(): Credentials {
    return { phone: this.phone, device: this.number, secret: this.secret };
  }
}

const NONE: readonly LinkedDevice[] = [];

export class Devices {
  readonly #names: Names;
  readonly #linked = new Map<string, LinkedDevice[]>();
  readonly #unlinked = new Set<string>();
  readonly #bySecret = new Map<string, LinkedDevice>();

  constructor(names: Names) {
    this.#names = names;
  }

  of(phone: string): readonly LinkedDevice[] {
    return this.#linked.get(phone) ?? NONE;
  }

  all(): readonly LinkedDevice[] {
    return [...this.#linked.values()].flat();
  }

  link(phone: string): LinkedDevice {
    const last = Math.max(0, ...this.of(phone).map(({ number }) => number));
    return this.#add(new LinkedDevice(phone, last + 1, this.#names.secret()));
  }

  unlink(device: LinkedDevice): void {
    this.#unlinked.add(device.secret);
    this.#bySecret.delete(device.secret);
    this.#linked.set(
      device.phone,
      this.of(device.phone).filter((other) => other !== device),
    );
  }

  /**
   * Returns the device with these credentials; null if they are unreadable or the device was
   * unlinked. Unknown but readable credentials create the device, because a gateway may outlive the
   * sandbox's memory.
   */
  claim(credentials: Credentials): LinkedDevice | null {
    const { phone, device, secret } = credentials;
    if (typeof phone !== 'string' || !isPhone(phone) || typeof device !== 'number' || typeof secret !== 'string') return null;
    if (this.#unlinked.has(secret)) return null;
    // The secret alone identifies the login; the other fields are not trusted.
    return this.#bySecret.get(secret) ?? this.#add(new LinkedDevice(phone, device, secret));
  }

  #add(device: LinkedDevice): LinkedDevice {
    this.#linked.set(device.phone, [...this.of(device.phone), device]);
    this.#bySecret.set(device.secret, device);
    return device;
  }
}
