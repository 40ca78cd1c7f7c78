import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Cancel, Clock } from '../../../../runtime/clock.ts';
import { Refusal } from '../../../../runtime/errors.ts';
import { isRecord } from '../../../../runtime/shapes.ts';
import type { PasskeyCredential, PasskeyEvent, PasskeyOptions, TakesPasskeys } from '../../passkey.ts';
import type { AuthenticationCreds, BinaryNode, Library, Socket } from '../library.ts';
import { ask, child, el } from '../questions/query.ts';

/**
 * Links a phone whose account has a passkey. The network requests an assertion
 * (`passkey_prologue_request`), and the phone responds with its half of the exchange
 * (`crsc_continuation`). A person then compares the code that is derived from both halves, unless a
 * handoff proves that the phone saw the first code of this device. `pair-success` is proven with a
 * new secret. Nothing is stored, so linking starts over after a crash.
 */

export interface PasskeyLinkingParts {
  readonly library: Library;
  readonly socket: Socket;
  /** The credentials, with a new secret against which `pair-success` is checked. */
  readonly creds: AuthenticationCreds;
  readonly clock: Clock;
  tell(event: PasskeyEvent): void;
  asked(): void;
  expired(): void;
  failed(cause: unknown): void;
}

const LONGEST_MS = 600_000;
const CONFIRM_MS = 180_000;
const HANDOFF_MS = 300_000;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const CODE_BYTES = 5;
const MAX_OPTIONS_BYTES = 4_096;
const FROM_SERVER = new Set(['s.whatsapp.net', '@s.whatsapp.net']);

const NOT_TAKEN = { en: 'the network did not accept this passkey', id: 'jaringan tidak menerima passkey ini' };
const NOT_CONFIRMED = { en: 'the network did not accept the confirmation; try again', id: 'jaringan tidak menerima konfirmasi; coba lagi' };
const BUSY = { en: 'a passkey is being checked', id: 'passkey sedang diperiksa' };

interface Opening {
  readonly keys: { readonly public: Uint8Array; readonly private: Uint8Array };
  readonly nonce: Buffer;
  readonly ref: string;
  /** Whether the network accepted the proof that the phone saw this computer's code. */
  readonly isProven: boolean;
}

type Step =
  | { readonly at: 'idle' | 'asked' | 'continuing' | 'done' }
  | { readonly at: 'answering'; readonly answered: Promise<Opening> }
  | { readonly at: 'awaiting'; readonly opening: Opening }
  | { readonly at: 'confirm'; readonly key: Buffer }
  | { readonly at: 'confirming'; readonly key: Buffer };

export class PasskeyLinking implements TakesPasskeys {
  readonly #parts: PasskeyLinkingParts;
  #step: Step = { at: 'idle' };
  #handoff: { readonly key: Buffer; readonly until: number } | null = null;
  #cancel: Cancel = () => {};

  constructor(parts: PasskeyLinkingParts) {
    this.#parts = parts;
    const { ws } = parts.socket;
    const follow = (type: string, what: (stanza: BinaryNode) => Promise<void>): void => {
      ws.on(`CB:notification,type:${type}`, (stanza: BinaryNode) => {
        if (isOfServer(stanza)) this.#follow(this.#acknowledge(stanza).then(() => what(stanza)));
      });
    };
    follow('passkey_prologue_request', (stanza) => this.#asked(stanza));
    follow('crsc_continuation', (stanza) => this.#continued(stanza));
  }

  async answerPasskey(credential: PasskeyCredential): Promise<void> {
    if (this.#step.at === 'answering') throw new Refusal('CONFLICT', { reason: BUSY });
    if (this.#step.at !== 'asked') throw new Refusal('NOT_FOUND');
    const answered = this.#open(credential);
    this.#step = { at: 'answering', answered };
    try {
      const opening = await answered;
      if (this.#step.at === 'answering') this.#step = { at: 'awaiting', opening };
    } catch (cause) {
      this.#step = { at: 'asked' };
      throw ofNetwork(cause) ? new Refusal('VALIDATION_FAILED', { field: 'credential', reason: NOT_TAKEN }) : cause;
    }
  }

  async confirmPasskey(): Promise<void> {
    if (this.#step.at === 'confirming') throw new Refusal('CONFLICT', { reason: BUSY });
    if (this.#step.at !== 'confirm') throw new Refusal('NOT_FOUND');
    const { key } = this.#step;
    this.#step = { at: 'confirming', key };
    try {
      await this.#finish(key);
      this.#step = { at: 'done' };
    } catch (cause) {
      this.#step = { at: 'confirm', key };
      throw ofNetwork(cause) ? new Refusal('CONFLICT', { reason: NOT_CONFIRMED }) : cause;
    }
  }

  stop(): void {
    this.#cancel();
    this.#step = { at: 'done' };
  }

  /** Sends the ack itself, because the library's ack needs our address, which is unknown while linking. */
  async #acknowledge({ tag, attrs: { id, from, type } }: BinaryNode): Promise<void> {
    const { socket, creds } = this.#parts;
    if (!creds.me) await socket.sendNode(el('ack', { id, to: from, class: tag, type }));
  }

  /** Handles a passkey request. A repeated one brings new options, but the secrets stay the same. */
  async #asked(stanza: BinaryNode): Promise<void> {
    if (this.#step.at !== 'idle' && this.#step.at !== 'asked') return;
    this.#parts.asked();
    const options = optionsIn(stanza) ?? optionsIn(await this.#query('get', el('passkey_request_options')));
    if (!options) throw new Error('the network requested a passkey without readable options');
    const { creds, clock, tell } = this.#parts;
    if (!this.#handoff) {
      const secret = Buffer.from(creds.advSecretKey, 'base64');
      this.#handoff = { key: derived(secret, '', 'shortcake-passkey-handoff-v1'), until: clock.now() + HANDOFF_MS };
      creds.advSecretKey = randomBytes(KEY_BYTES).toString('base64');
    }
    this.#step = { at: 'asked' };
    tell({ type: 'passkeyAsked', options, expiresAt: this.#wait(timeIn(options)) });
  }

  async #open(credential: PasskeyCredential): Promise<Opening> {
    const { library, clock } = this.#parts;
    const { proto, Curve } = library;
    const ref = bytesIn(await this.#query('get', el('ref')), 'ref').toString();
    const keys = Curve.generateKeyPair();
    const nonce = randomBytes(KEY_BYTES);
    const identity = proto.CompanionEphemeralIdentity.encode({ publicKey: keys.public, deviceType: CHROME, ref }).finish();
    const hash = createHash('sha256').update(identity).update(nonce).digest();
    const prologue = proto.ProloguePayload.encode({ companionEphemeralIdentity: identity, commitment: { hash } }).finish();
    const handoff = this.#handoff && this.#handoff.until > clock.now() ? this.#handoff.key : null;
    const proof = handoff && el('pairing_handoff_proof', {}, createHmac('sha256', handoff).update(prologue).digest());
    await this.#query(
      'set',
      el('passkey_prologue', {}, [
        el('credential_id', {}, Buffer.from(credential.rawId ?? credential.id, 'base64url')),
        el('webauthn_assertion', {}, Buffer.from(JSON.stringify(credential))),
        el('prologue_payload', {}, prologue),
        ...(proof ? [proof] : []),
      ]),
    );
    return { keys, nonce, ref, isProven: proof !== null };
  }

  /** Handles the phone's half of the exchange. It may arrive before the network confirms the assertion. */
  async #continued(stanza: BinaryNode): Promise<void> {
    const step = this.#step;
    if (step.at !== 'answering' && step.at !== 'awaiting') return;
    const opening = step.at === 'awaiting' ? step.opening : await step.answered.catch(() => null);
    if (!opening) return;
    this.#step = { at: 'continuing' };
    const { library, clock, tell } = this.#parts;
    const { publicKey, nonce } = library.proto.PrimaryEphemeralIdentity.decode(bytesIn(stanza, 'primary_ephemeral_identity'));
    if (publicKey?.length !== KEY_BYTES || nonce?.length !== KEY_BYTES) throw new Error('the phone sent a key of the wrong length');
    const shared = library.Curve.sharedKey(opening.keys.private, publicKey);
    if (Buffer.alloc(KEY_BYTES).equals(shared)) throw new Error('the phone sent an invalid key');
    await this.#query('set', el('companion_nonce', {}, opening.nonce));
    const key = derived(shared, `Companion Pairing ${CHROME} with ref ${opening.ref}`, 'Pairing Information Encryption Key');
    const expiresAt = this.#wait(CONFIRM_MS);
    this.#step = { at: 'confirm', key };
    if (opening.isProven && (await this.#confirmsItself())) return;
    const digest = createHash('sha256').update(opening.nonce).update(publicKey).digest();
    const code = library.bytesToCrockford(Buffer.from(nonce.subarray(0, CODE_BYTES).map((byte, nth) => byte ^ (digest[nth] ?? 0))));
    if (expiresAt > clock.now()) tell({ type: 'passkeyConfirm', code: `${code.slice(0, 4)}-${code.slice(4)}`, expiresAt });
  }

  /** Returns false if the network refuses the proof. A person must then compare the codes. */
  async #confirmsItself(): Promise<boolean> {
    try {
      await this.confirmPasskey();
      return true;
    } catch {
      return false;
    }
  }

  async #finish(key: Buffer): Promise<void> {
    const { library, creds } = this.#parts;
    const request = library.proto.PairingRequest.encode({
      companionPublicKey: creds.noiseKey.public,
      companionIdentityKey: creds.signedIdentityKey.public,
      advSecret: Buffer.from(creds.advSecretKey, 'base64'),
    }).finish();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
    const sealed = library.proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
    await this.#query('set', el('encrypted_pairing_request', {}, sealed));
  }

  #query(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    return ask(this.#parts, { xmlns: 'md', type }, [content]);
  }

  #wait(ms: number): number {
    const { clock, expired } = this.#parts;
    this.#cancel();
    this.#cancel = clock.after(ms, expired);
    return clock.now() + ms;
  }

  #follow(work: Promise<void>): void {
    work.catch((cause: unknown) => {
      if (this.#step.at !== 'done') this.#parts.failed(cause);
    });
  }
}

const CHROME = 1;

const isOfServer = ({ attrs }: BinaryNode): boolean => FROM_SERVER.has(attrs['from'] ?? '');

const derived = (secret: Uint8Array, salt: string, info: string): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES));

function ofNetwork(cause: unknown): boolean {
  if (cause instanceof Refusal) return cause.code !== 'DEVICE_TIMEOUT';
  return !isRecord(cause) || !('output' in cause);
}

function bytesIn(node: BinaryNode, tag: string): Buffer {
  const content = child(node, tag)?.content;
  if (content instanceof Uint8Array) return Buffer.from(content);
  if (typeof content === 'string') return Buffer.from(content);
  throw new Error(`the network left out ${tag}`);
}

function optionsIn(node: BinaryNode): PasskeyOptions | null {
  const content = child(node, 'passkey_request_options')?.content;
  if (!(content instanceof Uint8Array) || content.length > MAX_OPTIONS_BYTES) return null;
  try {
    const options: unknown = JSON.parse(Buffer.from(content).toString());
    return isOptions(options) ? options : null;
  } catch {
    return null;
  }
}

const isOptions = (options: unknown): options is PasskeyOptions => isRecord(options) && typeof options['challenge'] === 'string';

function timeIn({ timeout }: PasskeyOptions): number {
  return typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, LONGEST_MS) : LONGEST_MS;
}
