import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { CLOSED } from '../port.ts';
import type { PairingCode, SandboxConnection } from './connection.ts';
import { isPhone, type Names } from './names.ts';
import type { Shown } from './protocol.ts';

const CODES = 6;
const FIRST_CODE_MS = 60_000;
const NEXT_CODE_MS = 20_000;

/** A screen that shows linking codes. Remembers earlier codes to recognize expired ones. */
interface Showing {
  readonly connection: SandboxConnection;
  readonly codes: string[];
  readonly endsAt: number;
  pairing: { readonly phone: string; readonly code: string } | null;
  cancel: Cancel;
}

export class Linking {
  readonly #clock: Clock;
  readonly #names: Names;
  readonly #showing = new Map<SandboxConnection, Showing>();

  constructor(clock: Clock, names: Names) {
    this.#clock = clock;
    this.#names = names;
  }

  begin(connection: SandboxConnection): void {
    const endsAt = this.#clock.now() + FIRST_CODE_MS + (CODES - 1) * NEXT_CODE_MS;
    const showing: Showing = { connection, codes: [], endsAt, pairing: null, cancel: () => {} };
    this.#showing.set(connection, showing);
    this.#showNext(showing);
  }

  forget(connection: SandboxConnection): void {
    this.#showing.get(connection)?.cancel();
    this.#showing.delete(connection);
  }

  pairingCode(connection: SandboxConnection, digits: string): PairingCode {
    const showing = this.#showing.get(connection);
    if (!showing) throw new Refusal('CONFLICT', { reason: 'the device is not being linked' });
    if (!isPhone(digits)) throw new Refusal('VALIDATION_FAILED', { field: 'phone' });
    const code = this.#names.pairingCode();
    showing.pairing = { phone: digits, code };
    return { code, expiresAt: showing.endsAt };
  }

  find(phone: string, shown: Shown): SandboxConnection {
    const showing = 'qr' in shown ? this.#byQr(shown.qr) : this.#byTyping(phone, shown.pairingCode);
    if (!showing) throw new Refusal('NOT_FOUND', { reason: 'no device shows this code' });
    if ('qr' in shown && showing.codes.at(-1) !== shown.qr) throw new Refusal('CONFLICT', { reason: 'the code has expired' });
    return showing.connection;
  }

  #byQr(qr: string): Showing | undefined {
    return [...this.#showing.values()].find(({ codes }) => codes.includes(qr));
  }

  #byTyping(phone: string, typed: string): Showing | undefined {
    const plain = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase();
    return [...this.#showing.values()].find(({ pairing }) => pairing?.phone === phone && plain(pairing.code) === plain(typed));
  }

  #showNext(showing: Showing): void {
    if (showing.codes.length === CODES) showing.connection.end(CLOSED.codesRanOut);
    else this.#show(showing);
  }

  #show(showing: Showing): void {
    const lifeMs = showing.codes.length === 0 ? FIRST_CODE_MS : NEXT_CODE_MS;
    const qr = this.#names.qr();
    showing.codes.push(qr);
    showing.connection.say({ type: 'qr', qr, expiresAt: this.#clock.now() + lifeMs });
    showing.cancel = this.#clock.after(lifeMs, () => this.#showNext(showing));
  }
}
