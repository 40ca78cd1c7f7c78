import { createDecipheriv, createHash, createHmac, hkdfSync, type KeyObject, verify } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { Refusal } from '../../../runtime/errors.ts';
import { agree, type KeyPair, makeKeyPair } from '../curve.ts';
import { bytesOf, child, el, type Stanza, THE_SERVER } from '../stanza.ts';
import type { Connection } from '../wire/connection.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Candidate } from './pairing.ts';
import type { Answer } from './query.ts';

export const RP_ID = 'web.whatsapp.com';
const ORIGIN = `https://${RP_ID}`;
const USER_VERIFIED = 0x05;
const CHROME = 1;
const KEY = 32;
const TAG = 16;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
const REFUSED: Answer = { error: 400, text: 'bad-request' };

/** An account's passkey as the network knows it, and the network's behavior. */
export interface AccountPasskey {
  readonly id: Buffer;
  readonly publicKey: KeyObject;
  /** Milliseconds; null to omit the timeout. */
  readonly timeout?: number | null;
  /** Whether the notification omits the options, so that the client must request them. */
  readonly isBare?: boolean;
  /** Whether the proof that the phone saw the first code is ignored. */
  readonly ignoresProof?: boolean;
  /** Whether the phone waits for `approve` before it responds. */
  readonly waits?: boolean;
  /** Queries (by tag) that the server first answers with an error. */
  readonly refuses?: string[];
}

interface Asked {
  readonly account: Account;
  readonly passkey: AccountPasskey;
  readonly candidate: Candidate;
  readonly secret: Buffer;
  readonly notice: string;
  readonly challenge: string;
  isAcked: boolean;
  ref: string | null;
  taken: { readonly identity: Buffer; readonly hash: Buffer; readonly isProven: boolean } | null;
  readonly keys: KeyPair;
  readonly nonce: Buffer;
  hasNonce: boolean;
  readonly done: (secret: Buffer) => void;
  readonly failed: (cause: Error) => void;
}

/**
 * Requests an account's passkey before linking a computer. Checks the response as strictly as WebAuthn and the
 * protocol require.
 */
export class Passkeys {
  readonly #exchange: Exchange;
  readonly #asked = new Map<Connection, Asked>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /**
   * Resolves with the secret with which `pair-success` must be authenticated. `secret`: read by the phone from the
   * code.
   */
  ask(account: Account, passkey: AccountPasskey, candidate: Candidate, secret: Buffer): Promise<Buffer> {
    const { random } = this.#exchange;
    const { connection } = candidate;
    return new Promise((done, failed) => {
      const notice = random.messageId();
      const challenge = random.bytes(32).toString('base64url');
      const own = { notice, challenge, keys: makeKeyPair(random), nonce: random.bytes(KEY) };
      const asked: Asked = {
        account,
        passkey,
        candidate,
        secret,
        ...own,
        isAcked: false,
        ref: null,
        taken: null,
        hasNonce: false,
        done,
        failed,
      };
      this.#asked.set(connection, asked);
      this.#exchange.journal.event('passkey-asked', connection.name);
      this.#notify(connection, notice, 'passkey_prologue_request', passkey.isBare ? [] : [optionsOf(asked)]);
    });
  }

  acked(connection: Connection, { attrs }: Stanza): void {
    const asked = this.#asked.get(connection);
    if (asked && attrs['class'] === 'notification' && attrs['id'] === asked.notice) asked.isAcked = true;
  }

  /** Returns undefined for other queries. Does not respond to a client that has not acknowledged the notification. */
  heard(connection: Connection, question: Stanza): Answer | undefined {
    const asked = this.#asked.get(connection);
    const answer = ANSWERS[question.tag];
    if (!asked || !answer) return undefined;
    if (!asked.isAcked) return 'silence';
    const nth = asked.passkey.refuses?.indexOf(question.tag) ?? -1;
    if (nth >= 0) {
      asked.passkey.refuses?.splice(nth, 1);
      return { error: 500, text: 'internal-server-error' };
    }
    try {
      const said = answer(this.#exchange, asked, question);
      if (question.tag === 'passkey_prologue' && !asked.passkey.waits) queueMicrotask(() => this.approve(asked.account));
      return said;
    } catch (cause) {
      this.#exchange.journal.event('passkey-refused', connection.name, { tag: question.tag, why: String(cause) });
      return REFUSED;
    }
  }

  /** Sends the phone's half of the exchange. */
  approve(account: Account): void {
    for (const [connection, asked] of this.#asked) {
      if (asked.account !== account || !asked.taken) continue;
      const half = proto.PrimaryEphemeralIdentity.encode({ publicKey: asked.keys.public, nonce: asked.nonce }).finish();
      const { random } = this.#exchange;
      this.#notify(connection, random.messageId(), 'crsc_continuation', [el('primary_ephemeral_identity', {}, half)]);
    }
  }

  closed(connection: Connection): void {
    this.#asked.get(connection)?.failed(new Refusal('NOT_FOUND', { why: 'the computer is gone' }));
    this.#asked.delete(connection);
  }

  #notify(connection: Connection, id: string, type: string, content: readonly Stanza[]): void {
    connection.send(el('notification', { from: THE_SERVER, type, id, t: seconds(this.#exchange) }, content));
  }
}

const ANSWERS: Readonly<Record<string, (exchange: Exchange, asked: Asked, question: Stanza) => readonly Stanza[]>> = {
  passkey_request_options: (_exchange, asked) => [optionsOf(asked)],
  ref({ random }, asked) {
    asked.ref = random.bytes(16).toString('base64');
    return [el('ref', {}, Buffer.from(asked.ref))];
  },
  passkey_prologue(_exchange, asked, question) {
    const { ref, passkey, secret } = asked;
    asked.ref = null;
    expect(!asked.taken, 'a second passkey');
    expect(bytesOf(question, 'credential_id').equals(passkey.id), 'another passkey');
    expectAssertion(asked, bytesOf(question, 'webauthn_assertion').toString());
    const prologue = bytesOf(question, 'prologue_payload');
    const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(prologue);
    const identity = proto.CompanionEphemeralIdentity.decode(companionEphemeralIdentity ?? Buffer.alloc(0));
    expect(ref !== null && identity.ref === ref, 'a reference that was not given, or is used');
    expect(identity.deviceType === CHROME && identity.publicKey?.length === KEY && commitment?.hash?.length === KEY, 'half an identity');
    const proof = child(question, 'pairing_handoff_proof') && bytesOf(question, 'pairing_handoff_proof');
    const handoff = Buffer.from(hkdfSync('sha256', secret, '', 'shortcake-passkey-handoff-v1', KEY));
    expect(!proof || proof.equals(createHmac('sha256', handoff).update(prologue).digest()), 'a forged proof');
    const hash = Buffer.from(commitment?.hash ?? []);
    asked.taken = { identity: Buffer.from(companionEphemeralIdentity ?? []), hash, isProven: Boolean(proof) && !passkey.ignoresProof };
    return [];
  },
  companion_nonce(_exchange, asked, question) {
    const { taken, keys, nonce, account } = asked;
    const theirs = Buffer.from(question.content instanceof Uint8Array ? question.content : []);
    expect(taken !== null && createHash('sha256').update(taken.identity).update(theirs).digest().equals(taken.hash), 'another nonce');
    const digest = createHash('sha256').update(theirs).update(keys.public).digest();
    account.passkeyCode = shown(Buffer.from(nonce.subarray(0, 5).map((byte, nth) => byte ^ digest[nth]!)));
    asked.hasNonce = true;
    return [];
  },
  encrypted_pairing_request({ journal }, asked, question) {
    const { taken, hasNonce, keys, candidate, secret } = asked;
    expect(taken !== null && hasNonce, 'too early');
    const sealed = proto.EncryptedPairingRequest.decode(question.content instanceof Uint8Array ? question.content : Buffer.alloc(0));
    const identity = proto.CompanionEphemeralIdentity.decode(taken?.identity ?? Buffer.alloc(0));
    const shared = agree(keys.private, identity.publicKey ?? Buffer.alloc(0));
    const salt = `Companion Pairing ${CHROME} with ref ${identity.ref}`;
    const key = Buffer.from(hkdfSync('sha256', shared, salt, 'Pairing Information Encryption Key', KEY));
    const payload = Buffer.from(sealed.encryptedPayload ?? []);
    const cipher = createDecipheriv('aes-256-gcm', key, sealed.iv ?? Buffer.alloc(0));
    cipher.setAuthTag(payload.subarray(-TAG));
    const request = proto.PairingRequest.decode(Buffer.concat([cipher.update(payload.subarray(0, -TAG)), cipher.final()]));
    const advSecret = Buffer.from(request.advSecret ?? []);
    expect(candidate.connection.introduction.key.equals(request.companionPublicKey ?? Buffer.alloc(0)), 'another noise key');
    expect(Buffer.from(candidate.facts.eIdent ?? []).equals(request.companionIdentityKey ?? Buffer.alloc(0)), 'another identity');
    expect(advSecret.length === KEY && !advSecret.equals(secret), 'the old secret');
    journal.event('passkey-linked', candidate.connection.name, { isProven: taken?.isProven === true });
    // The response must be sent first.
    queueMicrotask(() => asked.done(advSecret));
    return [];
  },
};

function optionsOf({ challenge, passkey: { id, timeout = 600_000 } }: Asked): Stanza {
  const options = {
    challenge,
    ...(timeout !== null && { timeout }),
    rpId: RP_ID,
    allowCredentials: [{ id: id.toString('base64url'), type: 'public-key', transports: ['internal', 'hybrid'] }],
    userVerification: 'required',
    extensions: { prf: { eval: { first: 'AAAA' } }, largeBlob: { read: true }, uvm: true },
  };
  return el('passkey_request_options', {}, Buffer.from(JSON.stringify(options)));
}

/** Verifies an assertion as a relying party does (WebAuthn level 3, 7.2). */
function expectAssertion({ challenge, passkey }: Asked, text: string): void {
  const { id, rawId, type, response, clientExtensionResults } = JSON.parse(text);
  expect(type === 'public-key' && id === passkey.id.toString('base64url') && rawId === id, 'another credential');
  const data = Buffer.from(response.clientDataJSON, 'base64url');
  const client = JSON.parse(data.toString());
  expect(client.type === 'webauthn.get' && client.challenge === challenge, 'another challenge');
  expect(client.origin === ORIGIN, 'another origin');
  const authData = Buffer.from(response.authenticatorData, 'base64url');
  expect(authData.subarray(0, KEY).equals(createHash('sha256').update(RP_ID).digest()), 'another relying party');
  expect(((authData[KEY] ?? 0) & USER_VERIFIED) === USER_VERIFIED, 'nobody was verified');
  const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()]);
  expect(verify('sha256', signed, passkey.publicKey, Buffer.from(response.signature, 'base64url')), 'another signature');
  expect(!('prf' in (clientExtensionResults ?? {})) && !('largeBlob' in (clientExtensionResults ?? {})), 'a secret of the authenticator');
}

function expect(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(what);
}

/** Encodes bytes in Base32, with the alphabet of typed codes. */
function shown(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]);
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
