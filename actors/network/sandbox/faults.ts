import type { Clock } from '../../../runtime/clock.ts';
import { keysOf } from '../../../runtime/keys-of.ts';
import { CLOSED } from '../port.ts';
import { LOGIN_FAULTS, type LoginFault } from './protocol.ts';

type Lasting = 'down' | 'banned' | 'slow' | 'refuse' | 'silent' | 'unanswered' | 'busy' | 'reach_out_limit' | 'upload_refused' | LoginFault;

export interface RefusedLogin {
  readonly code: number;
  readonly until?: number;
}

export interface RefusedAcks {
  readonly code: number;
  readonly times: number;
  readonly backoffMs?: number;
}

export class Faults {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();
  readonly #acks = new Map<string, RefusedAcks>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(phone: string, kind: Lasting, forMs: number): void {
    this.#until.set(`${kind} ${phone}`, this.#clock.monotonic() + forMs);
  }

  isOn(phone: string, kind: Lasting): boolean {
    return this.#leftMs(phone, kind) > 0;
  }

  refuseAcks(phone: string, refused: RefusedAcks): void {
    this.#acks.set(phone, refused);
  }

  refusesAck(phone: string): RefusedAcks | null {
    const refused = this.#acks.get(phone);
    if (!refused || refused.times <= 0) return null;
    this.#acks.set(phone, { ...refused, times: refused.times - 1 });
    return refused;
  }

  refusesLogin(phone: string): RefusedLogin | null {
    if (this.isOn(phone, 'banned')) return { code: CLOSED.banned };
    const kind = keysOf(LOGIN_FAULTS).find((one) => this.isOn(phone, one));
    if (kind === undefined) return this.isOn(phone, 'down') ? { code: CLOSED.unavailable } : null;
    const code = LOGIN_FAULTS[kind];
    // Rounded up, because the monotonic clock counts fractions of a millisecond.
    return code === CLOSED.bannedForNow ? { code, until: this.#clock.now() + Math.ceil(this.#leftMs(phone, kind)) } : { code };
  }

  whenOver(phone: string, kind: Lasting, run: () => void): void {
    const leftMs = this.#leftMs(phone, kind);
    if (leftMs <= 0) run();
    else this.#clock.after(leftMs, () => this.whenOver(phone, kind, run));
  }

  #leftMs(phone: string, kind: Lasting): number {
    if (this.#until.size === 0) return 0;
    const key = `${kind} ${phone}`;
    const leftMs = (this.#until.get(key) ?? 0) - this.#clock.monotonic();
    if (leftMs <= 0) this.#until.delete(key);
    return leftMs;
  }
}
