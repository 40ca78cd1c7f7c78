import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { MemberReceipt } from '../member-receipts.ts';
import type { ConnectionEvent, Credentials, IdentityFact, KeptEvent } from '../port.ts';
import { isPhone, type Names } from './names.ts';

const KNOWN_PEOPLE = 2_000;

/** One login's end of the network. `say` is received one latency later; `tell` at once, so only from a timer. */
export interface Login {
  readonly deviceId: string;
  say(event: ConnectionEvent): void;
  tell(event: ConnectionEvent): void;
  /** `until`: the time that the network names, epoch ms. */
  end(code: number, until?: number): void;
}

/** A device linked to a phone, logged in or not, and what the network keeps for it. */
export class LinkedDevice {
  readonly phone: string;
  readonly number: number;
  readonly secret: string;
  login: Login | null = null;
  /** Whether it shows its account online; each login begins without. */
  isAvailable = false;
  /** The form of its account's addresses (chat-forms.ts), as it learnt it when it logged in, or by a refusal since. */
  knownForm: boolean | null = null;
  /** Events that were not sent in this login, and those sent but not acknowledged; by token. */
  waiting = new Map<string, KeptEvent>();
  readonly handed = new Map<string, KeptEvent>();
  /** Receipts that no event carries yet, and the login that is about to receive them. */
  receipts: Record<'delivered' | 'read', string[]> = { delivered: [], read: [] };
  memberReceipts: MemberReceipt[] = [];
  receiptsDue: Login | null = null;
  /** Acks held back by a slow network. */
  heldAcks: (() => void)[] = [];
  /** Registered numbers by the other addresses of their people, as it was told them. */
  readonly introduced = new RecentCache<string, string>(KNOWN_PEOPLE);
  /** By registered number, what it was told lately of its person. */
  readonly newlyIntroduced = new RecentCache<string, readonly IdentityFact[]>(KNOWN_PEOPLE);
  #tokens = 0;

  constructor(phone: string, number: number, secret: string) {
    this.phone = phone;
    this.number = number;
    this.secret = secret;
  }

  /** The name of something that it will be told. */
  token(): string {
    this.#tokens += 1;
    return `told-${this.#tokens}`;
  }

  credentials(): Credentials {
    return { phone: this.phone, device: this.number, secret: this.secret };
  }
}

const NONE: readonly LinkedDevice[] = [];

/** Which devices are linked to which number. */
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
   * The device that these credentials speak for; null when they are unreadable or it was unlinked. A device that this sandbox has never
   * learned of is taken at its word: the sandbox forgets everything when it restarts, and a gateway that outlives it must not have to link again.
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
