import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { MemberReceipt } from '../member-receipts.ts';
import type { ConnectionEvent, Credentials, IdentityFact, KeptEvent } from '../port.ts';
import { isPhone, type Names } from './names.ts';

const KNOWN_PEOPLE = 2_000;

/** `say` delivers after the simulated latency, `tell` immediately. Call `tell` only from a timer. */
export interface Login {
  readonly deviceId: string;
  say(event: ConnectionEvent): void;
  tell(event: ConnectionEvent): void;
  end(code: number, until?: number): void;
}

export class LinkedDevice {
  readonly phone: string;
  readonly number: number;
  readonly secret: string;
  login: Login | null = null;
  isAvailable = false;
  knownForm: boolean | null = null;
  /** Events by token. `waiting`: not sent in this login. `handed`: sent, but not acknowledged. */
  waiting = new Map<string, KeptEvent>();
  readonly handed = new Map<string, KeptEvent>();
  receipts: Record<'delivered' | 'read', string[]> = { delivered: [], read: [] };
  memberReceipts: MemberReceipt[] = [];
  receiptsDue: Login | null = null;
  heldAcks: (() => void)[] = [];
  readonly introduced = new RecentCache<string, string>(KNOWN_PEOPLE);
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

  /** Unknown credentials create a device, because the sandbox may have restarted. */
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
