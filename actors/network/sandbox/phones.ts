import { Refusal } from '../../../runtime/errors.ts';
import { isPhone } from './names.ts';
import type { Parcel } from './parcel.ts';
import type { Letter, PhoneSettings } from './protocol.ts';

const KEPT_MESSAGES = 10_000;

/** One person's phone. */
export class Phone {
  readonly digits: string;
  online = true;
  reads = true;
  onNetwork = true;
  name: string | null = null;
  /** Written to it while it was offline. */
  waiting: Parcel[] = [];
  /** Shown, and not read before it went offline. */
  unread: Parcel[] = [];
  #received: Letter[] = [];

  constructor(digits: string) {
    this.digits = digits;
  }

  show(letter: Letter): void {
    this.#received.push(letter);
    if (this.#received.length >= 2 * KEPT_MESSAGES) this.#received = this.#received.slice(-KEPT_MESSAGES);
  }

  /** What it has received, newest first. */
  messages(limit: number): readonly Letter[] {
    return limit <= 0 ? [] : this.#received.slice(-limit).reverse();
  }

  set(changes: Partial<PhoneSettings>): void {
    this.online = changes.online ?? this.online;
    this.reads = changes.reads ?? this.reads;
    this.onNetwork = changes.onNetwork ?? this.onNetwork;
    if (changes.name !== undefined) this.name = changes.name;
  }
}

/** Every number there is: a phone exists as soon as it is named. */
export class Phones {
  readonly #phones = new Map<string, Phone>();

  /** Refuses VALIDATION_FAILED when `digits` are no number. */
  named(digits: string): Phone {
    const known = this.#phones.get(digits);
    if (known) return known;
    if (!isPhone(digits)) throw new Refusal('VALIDATION_FAILED', { field: 'phone', reason: 'a phone number is 5 to 15 digits' });
    const phone = new Phone(digits);
    this.#phones.set(digits, phone);
    return phone;
  }

  isOnNetwork(digits: string): boolean {
    return isPhone(digits) && (this.#phones.get(digits)?.onNetwork ?? true);
  }
}
