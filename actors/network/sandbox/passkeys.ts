import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { PasskeyCredential } from '../passkey.ts';
import { CLOSED } from '../port.ts';
import type { SandboxLine } from './line.ts';
import type { Names } from './names.ts';

/** For each of the two steps. */
const STEP_MS = 60_000;

const WRONG = { en: 'this passkey is not for the challenge that was asked', id: 'passkey ini bukan untuk challenge yang diminta' };

interface Asked {
  readonly step: 'passkey' | 'confirm';
  readonly challenge: string;
  link(): void;
}

/** Lines whose phone wants a passkey, and a code compared, before it links them. Of a credential only the challenge is looked at: nobody signs here. */
export class Passkeys {
  readonly #clock: Clock;
  readonly #names: Names;
  readonly #asked = new Map<SandboxLine, Asked & { readonly cancel: Cancel }>();

  constructor(clock: Clock, names: Names) {
    this.#clock = clock;
    this.#names = names;
  }

  /** `link` is called when both steps are done; what it refuses is refused to who confirms. */
  ask(line: SandboxLine, link: () => void): void {
    const challenge = this.#names.secret();
    const expiresAt = this.#wait(line, { step: 'passkey', challenge, link });
    const options = { challenge, rpId: 'sandbox.example', timeout: STEP_MS, userVerification: 'required' } as const;
    line.say({ type: 'passkeyAsked', options, expiresAt });
  }

  /** Refuses NOT_FOUND (none is asked for) and VALIDATION_FAILED: another challenge, or none that can be read. */
  answer(line: SandboxLine, credential: PasskeyCredential): void {
    const asked = this.#at(line, 'passkey');
    if (challengeOf(credential) !== asked.challenge) throw new Refusal('VALIDATION_FAILED', { field: 'credential', reason: WRONG });
    const expiresAt = this.#wait(line, { ...asked, step: 'confirm' });
    line.say({ type: 'passkeyConfirm', code: this.#names.pairingCode(), expiresAt });
  }

  /** Refuses NOT_FOUND: there is nothing to confirm. */
  confirm(line: SandboxLine): void {
    this.#at(line, 'confirm').link();
    this.forget(line);
  }

  forget(line: SandboxLine): void {
    this.#asked.get(line)?.cancel();
    this.#asked.delete(line);
  }

  #at(line: SandboxLine, step: Asked['step']): Asked {
    const asked = this.#asked.get(line);
    if (asked?.step !== step) throw new Refusal('NOT_FOUND');
    return asked;
  }

  #wait(line: SandboxLine, { step, challenge, link }: Asked): number {
    this.forget(line);
    const cancel = this.#clock.after(STEP_MS, () => line.end(CLOSED.codesRanOut));
    this.#asked.set(line, { step, challenge, link, cancel });
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
