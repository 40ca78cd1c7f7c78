import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { PasskeyCredential } from '../passkey.ts';
import { CLOSED } from '../port.ts';
import type { SandboxConnection } from './connection.ts';
import type { Names } from './names.ts';

export const SANDBOX_PASSKEY = 'c2FuZGJveC1wYXNza2V5';

const STEP_MS = 60_000;

/** Passkey options, including extensions that only the network's own client may read. */
const OPTIONS = {
  rpId: 'web.whatsapp.com',
  timeout: STEP_MS,
  userVerification: 'required',
  allowCredentials: [{ id: SANDBOX_PASSKEY, type: 'public-key', transports: ['internal', 'hybrid'] }],
  extensions: { uvm: true, prf: { eval: { first: 'AAAA' } }, largeBlob: { read: true } },
};

const WRONG = { en: 'this passkey does not match the challenge', id: 'passkey ini tidak cocok dengan challenge yang diminta' };
const OTHER_CODE = { en: 'the phone shows a different code', id: 'ponsel menampilkan kode lain' };
const NO_CODE = { en: 'the phone shows no code', id: 'ponsel tidak menampilkan kode' };

interface PasskeyRequest {
  readonly step: 'passkey' | 'confirm';
  readonly digits: string;
  readonly challenge: string;
  readonly code: string | null;
  link(): void;
}

/** Simulates passkey linking; checks only the challenge. With `sign_passkey`, a person confirms the code. */
export class Passkeys {
  readonly #clock: Clock;
  readonly #names: Names;
  readonly #asked = new Map<SandboxConnection, PasskeyRequest & { readonly cancel: Cancel }>();
  readonly #signed = new Set<string>();
  readonly #confirmed = new Map<string, Set<'device' | 'phone'>>();

  constructor(clock: Clock, names: Names) {
    this.#clock = clock;
    this.#names = names;
  }

  /** Calls `link` once both sides have confirmed. If `link` throws, the last side gets the error. */
  ask(connection: SandboxConnection, digits: string, link: () => void): void {
    const challenge = this.#names.secret();
    const expiresAt = this.#wait(connection, { step: 'passkey', digits, challenge, code: null, link });
    const options = { ...OPTIONS, challenge };
    connection.say({ type: 'passkeyAsked', options, expiresAt });
  }

  signed(challenge: unknown): void {
    for (const { challenge: asked } of this.#asked.values()) if (asked === challenge) this.#signed.add(asked);
  }

  answer(connection: SandboxConnection, credential: PasskeyCredential): void {
    const asked = this.#at(connection, 'passkey');
    if (challengeOf(credential) !== asked.challenge) throw new Refusal('VALIDATION_FAILED', { field: 'credential', reason: WRONG });
    const code = this.#names.pairingCode();
    const expiresAt = this.#wait(connection, { ...asked, step: 'confirm', code });
    connection.say({ type: 'passkeyConfirm', code, expiresAt });
  }

  confirm(connection: SandboxConnection): void {
    this.#said(connection, this.#at(connection, 'confirm'), 'device');
  }

  confirmByPhone(digits: string, code: string): void {
    const [connection, asked] = [...this.#asked].find(([, each]) => each.digits === digits && each.step === 'confirm') ?? [];
    if (!connection || !asked) throw networkRefusal(409, NO_CODE);
    if (plain(asked.code ?? '') !== plain(code)) throw networkRefusal(409, OTHER_CODE);
    this.#said(connection, asked, 'phone');
  }

  forget(connection: SandboxConnection): void {
    const asked = this.#asked.get(connection);
    asked?.cancel();
    if (asked) this.#signed.delete(asked.challenge);
    if (asked) this.#confirmed.delete(asked.challenge);
    this.#asked.delete(connection);
  }

  #said(connection: SandboxConnection, { challenge, link }: PasskeyRequest, by: 'device' | 'phone'): void {
    const sides = (this.#confirmed.get(challenge) ?? new Set()).add(by);
    this.#confirmed.set(challenge, sides);
    if (!sides.has('device') || (this.#signed.has(challenge) && !sides.has('phone'))) return;
    link();
    this.forget(connection);
  }

  #at(connection: SandboxConnection, step: PasskeyRequest['step']): PasskeyRequest {
    const asked = this.#asked.get(connection);
    if (asked?.step !== step) throw new Refusal('NOT_FOUND');
    return asked;
  }

  #wait(connection: SandboxConnection, { step, digits, challenge, code, link }: PasskeyRequest): number {
    this.#asked.get(connection)?.cancel();
    const cancel = this.#clock.after(STEP_MS, () => connection.end(CLOSED.codesRanOut));
    this.#asked.set(connection, { step, digits, challenge, code, link, cancel });
    return this.#clock.now() + STEP_MS;
  }
}

const plain = (code: string): string => code.toUpperCase().replace('-', '');

function challengeOf({ response }: PasskeyCredential): unknown {
  try {
    const signed: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    return typeof signed === 'object' && signed !== null && 'challenge' in signed ? signed.challenge : null;
  } catch {
    return null;
  }
}
