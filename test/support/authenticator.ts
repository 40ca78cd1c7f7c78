import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The options that a page passes to the browser (`PublicKeyCredentialCreationOptionsJSON`, `…RequestOptionsJSON`). */
interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}
interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** Deviations of an attacker or a poor authenticator. */
interface Unlike {
  readonly origin?: string;
  readonly rpId?: string;
  /** Whether the user was verified by face or PIN. */
  readonly isVerified?: boolean;
  readonly userHandle?: string;
}

interface Credential {
  readonly id: Buffer;
  readonly privateKey: KeyObject;
  readonly userHandle: string;
  counter: number;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/**
 * Simulates an authenticator and its browser as in WebAuthn level 3 (ES256, attestation `none`), for a page at
 * `origin`.
 */
export function anAuthenticator(origin: string) {
  const credentials: Credential[] = [];

  const clientData = (type: string, { challenge }: { readonly challenge: string }, unlike: Unlike): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: unlike.origin ?? origin, crossOrigin: false }));

  return {
    credentials,

    /** Like `navigator.credentials.create`. */
    create(options: CreationOptions, unlike: Unlike = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const credential: Credential = { id: randomBytes(32), privateKey, userHandle: options.user.id, counter: 1 };
      credentials.push(credential);
      const { x, y } = publicKey.export({ format: 'jwk' });
      const key = cbor(map([1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x!, 'base64url')], [-3, Buffer.from(y!, 'base64url')]));
      const attested = Buffer.concat([Buffer.alloc(16), uint(credential.id.length, 2), credential.id, key]);
      const authData = Buffer.concat([head(options.rp.id, HAS_CREDENTIAL, 1, unlike), attested]);
      return wired(credential.id, {
        clientDataJSON: text(clientData('webauthn.create', options, unlike)),
        attestationObject: text(cbor(map(['fmt', 'none'], ['attStmt', map()], ['authData', authData]))),
        transports: ['internal'],
      });
    },

    /** Like `navigator.credentials.get`. Default: the newest credential. */
    get(options: RequestOptions, unlike: Unlike = {}, credential = credentials.at(-1)!) {
      credential.counter += 1;
      const data = clientData('webauthn.get', options, unlike);
      const authData = head(options.rpId, 0, credential.counter, unlike);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), credential.privateKey);
      return wired(credential.id, {
        clientDataJSON: text(data),
        authenticatorData: text(authData),
        signature: text(signature),
        userHandle: unlike.userHandle ?? credential.userHandle,
      });
    },
  };
}

const wired = <R extends object>(id: Buffer, response: R) => ({
  id: text(id),
  rawId: text(id),
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
  response,
});

function head(rpId: string, flags: number, counter: number, { rpId: other, isVerified = true }: Unlike): Buffer {
  const all = flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
  return Buffer.concat([sha256(other ?? rpId), uint(all, 1), uint(counter, 4)]);
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const text = (bytes: Buffer): string => bytes.toString('base64url');

function uint(value: number, bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  out.writeUIntBE(value, 0, bytes);
  return out;
}

/** CBOR (RFC 8949) to the extent that authenticators use it: numbers, strings, bytes and maps. */
type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

const map = (...entries: readonly (readonly [number | string, Cbor])[]): ReadonlyMap<number | string, Cbor> => new Map(entries);

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? major(1, -1 - value) : major(0, value);
  if (typeof value === 'string') return Buffer.concat([major(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([major(2, value.length), value]);
  return Buffer.concat([major(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])]);
}

function major(type: number, count: number): Buffer {
  if (count < 24) return uint((type << 5) | count, 1);
  const [short, bytes] = count < 256 ? [24, 1] : [25, 2];
  return Buffer.concat([uint((type << 5) | short, 1), uint(count, bytes)]);
}
