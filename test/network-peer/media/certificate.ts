import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate for 127.0.0.1, with its key. Both are PEM. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

const TAG = {
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  text: 12,
  time: 24,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  ip: 0x87,
};
const COMMON_NAME = '550403';
const ALTERNATIVE_NAME = '551d11';
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const LOOPBACK = Buffer.from([127, 0, 0, 1]);
const VALID_MS = 10 * 365 * 86_400_000;

/**
 * Makes the smallest X.509 v3 certificate that clients accept. `now`: epoch ms. If two certificates share a common
 * name, clients trust only one.
 */
export function makeCertificate(now: number, commonName = '127.0.0.1'): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(TAG.sequence, oid(ECDSA_WITH_SHA256));
  const name = der(TAG.sequence, der(TAG.set, der(TAG.sequence, oid(COMMON_NAME), der(TAG.text, Buffer.from(commonName)))));
  const body = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([1])),
    algorithm,
    name,
    der(TAG.sequence, time(now - 86_400_000), time(now + VALID_MS)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(TAG.extensions, der(TAG.sequence, alternativeName())),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = der(TAG.sequence, body, algorithm, der(TAG.bits, Buffer.from([0]), signature));
  return { key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })), certificate: pem(whole) };
}

const alternativeName = (): Buffer => der(TAG.sequence, oid(ALTERNATIVE_NAME), der(TAG.octets, der(TAG.sequence, der(TAG.ip, LOOPBACK))));

const oid = (hex: string): Buffer => der(TAG.oid, Buffer.from(hex, 'hex'));

/** Formats a time as `20360101000000Z`. */
function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '');
  return der(TAG.time, Buffer.from(`${text}Z`));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body), body]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 128) return Buffer.from([length]);
  return length < 256 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 255]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
