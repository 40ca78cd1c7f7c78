import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const TYPED = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
const PHONE = /^\d{5,15}$/;

export const isPhone = (text: string): boolean => PHONE.test(text);

/** Creates ids that contain the time, so that they differ from the ids of an earlier sandbox. */
export class Names {
  readonly #clock: Clock;
  readonly #random: Random;
  #count = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  message(): string {
    const parts = [this.#clock.now(), this.#serial(), Math.floor(this.#random() * 2 ** 32)];
    return `3A${parts.map((part) => part.toString(16)).join('')}`.toUpperCase();
  }

  group(): string {
    return `120363${this.#clock.now()}${this.#serial()}@g.us`;
  }

  channel(): string {
    return `120363${this.#clock.now()}${this.#serial()}@newsletter`;
  }

  inviteCode(): string {
    return `${this.#some(LETTERS, 21)}${this.#serial()}`;
  }

  qr(): string {
    return `2@${this.#some(LETTERS, 40)},${this.#serial()}`;
  }

  secret(): string {
    return this.#some(LETTERS, 32);
  }

  pairingCode(): string {
    return `${this.#some(TYPED, 4)}-${this.#some(TYPED, 4)}`;
  }

  #serial(): number {
    this.#count += 1;
    return this.#count;
  }

  #some(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[Math.floor(this.#random() * alphabet.length)]).join('');
  }
}
