import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { PasskeyCredential } from '../passkey.ts';
import { CLOSED } from '../port.ts';
import type { SandboxConnection } from './connection.ts';
import type { Names } from './names.ts';

/** The id of the passkey of every phone here. */
const SANDBOX_PASSKEY = 'c2FuZGJveC1wYXNza2V5';

/** For each of the two steps. */
const STEP_MS = 60_000;

/** As the network asks: also for what its own client reads of an authenticator, and no gateway may. */
const OPTIONS = {
  rpId: 'web.whatsapp.com',
  timeout: STEP_MS,
  userVerification: 'required',
  allowCredentials: [{ id: SANDBOX_PASSKEY, type: 'public-key', transports: ['internal', 'hybrid'] }],
  extensions: { uvm: true, prf: { eval: { first: 'AAAA' } }, largeBlob: { read: true } },
};

const WRONG = { en: 'this passkey does not answer the challenge', id: 'passkey ini tidak cocok dengan challenge yang diminta' };

interface PasskeyRequest {
  readonly step: 'passkey' | 'confirm';
  readonly challenge: string;
  link(): void;
}

/** Lines whose phone wants a passkey, and a code compared, before it links them. Of a credential only the challenge is looked at: nobody signs here. */
export class Passkeys {
  readonly #clock: Clock;
  readonly #names: Names;
  readonly #asked = new Map<SandboxConnection, PasskeyRequest & { readonly cancel: Cancel }>();

  constructor(clock: Clock, names: Names) {
    this.#clock = clock;
    this.#names = names;
  }

  /** `link` is called when both steps are done; what it refuses is refused to who confirms. */
  ask(connection: SandboxConnection, link: () => void): void {
    const challenge = this.#names.secret();
    const expiresAt = this.#wait(connection, { step: 'passkey', challenge, link });
    const options = { ...OPTIONS, challenge };
    connection.say({ type: 'passkeyAsked', options, expiresAt });
  }

  /** Refuses NOT_FOUND (none is asked for) and VALIDATION_FAILED: another challenge, or none that can be read. */
  answer(connection: SandboxConnection, credential: PasskeyCredential): void {
    const asked = this.#at(connection, 'passkey');
    if (challengeOf(credential) !== asked.challenge) throw new Refusal('VALIDATION_FAILED', { field: 'credential', reason: WRONG });
    const expiresAt = this.#wait(connection, { ...asked, step: 'confirm' });
    connection.say({ type: 'passkeyConfirm', code: this.#names.pairingCode(), expiresAt });
  }

  /** Refuses NOT_FOUND: there is nothing to confirm. */
  confirm(connection: SandboxConnection): void {
    this.#at(connection, 'confirm').link();
    this.forget(connection);
  }

  forget(connection: SandboxConnection): void {
    this.#asked.get(connection)?.cancel();
    this.#asked.delete(connection);
  }

  #at(connection: SandboxConnection, step: PasskeyRequest['step']): PasskeyRequest {
    const asked = this.#asked.get(connection);
    if (asked?.step !== step) throw new Refusal('NOT_FOUND');
    return asked;
  }

  #wait(connection: SandboxConnection, { step, challenge, link }: PasskeyRequest): number {
    this.forget(connection);
    const cancel = this.#clock.after(STEP_MS, () => connection.end(CLOSED.codesRanOut));
    this.#asked.set(connection, { step, challenge, link, cancel });
    return this.#clock.now() + STEP_MS;
  }
}

/** Null: nothing that can be read. */
function challengeOf({ response }: PasskeyCredential): unknown {
  try {
    const signed: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    return typeof signed === 'object' && signed !== null && 'challenge' in signed ? signed.challenge : null;
  } catch {
    return null;
  }
}
