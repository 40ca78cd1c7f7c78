import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import type { SeededRandom } from '../random.ts';

export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'history';

/** The facts about a file that its message carries. */
export interface FileKeys {
  readonly mediaKey: Buffer;
  readonly fileSha256: Buffer;
  readonly fileEncSha256: Buffer;
  readonly fileLength: number;
}

const MAC_BYTES = 10;
const PURPOSE: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  history: 'WhatsApp History Keys',
};

/** Encrypts a file as a phone does before uploading it to the media host. */
export function sealFile(kind: FileKind, plain: Uint8Array, random: SeededRandom): { readonly sealed: Buffer; readonly keys: FileKeys } {
  const mediaKey = random.bytes(32);
  const { iv, key, macKey } = derive(kind, mediaKey);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const sealed = Buffer.concat([body, macOf(macKey, iv, body)]);
  return { sealed, keys: { mediaKey, fileSha256: sha256(plain), fileEncSha256: sha256(sealed), fileLength: plain.length } };
}

/** Decrypts a file. Throws if any byte was changed. */
export function openFile(kind: FileKind, sealed: Buffer, mediaKey: Uint8Array): Buffer {
  const { iv, key, macKey } = derive(kind, mediaKey);
  const body = sealed.subarray(0, -MAC_BYTES);
  if (!macOf(macKey, iv, body).equals(sealed.subarray(-MAC_BYTES))) throw new Error('the file was changed');
  const cipher = createDecipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([cipher.update(body), cipher.final()]);
}

function derive(kind: FileKind, mediaKey: Uint8Array) {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', PURPOSE[kind], 112));
  return { iv: keys.subarray(0, 16), key: keys.subarray(16, 48), macKey: keys.subarray(48, 80) };
}

const macOf = (key: Buffer, iv: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(iv).update(body).digest().subarray(0, MAC_BYTES);

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
