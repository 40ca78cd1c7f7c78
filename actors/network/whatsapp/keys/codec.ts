/** Encodes stored secrets as JSON, with bytes in base64. */

const BYTES = '$bytes';
const RECORDS: ReadonlySet<string> = new Set(['session', 'sender-key']);

export function encode(kind: string, value: unknown): string {
  // Secrets that each message writes contain no bytes within JSON, so skip the slow search for bytes.
  if (RECORDS.has(kind) && value instanceof Uint8Array) return `"${base64Of(value)}"`;
  if (kind === 'session' || kind === 'inbound') return JSON.stringify(value);
  return JSON.stringify(value, withBytes);
}

export function decode(kind: string, text: string): unknown {
  if (RECORDS.has(kind) && text.startsWith('"')) return bytesOf(text.slice(1, -1));
  if (kind === 'session' || kind === 'inbound') return JSON.parse(text);
  const value: unknown = JSON.parse(text, revive);
  return kind === SHARED_SETTINGS ? withKeyData(value) : value;
}

/** Keys of this kind are protocol-buffer messages. Their JSON form already contains bytes as base64 text. */
const SHARED_SETTINGS = 'app-state-sync-key';

function withKeyData(key: unknown): unknown {
  if (typeof key !== 'object' || key === null || !('keyData' in key) || typeof key.keyData !== 'string') return key;
  return { ...key, keyData: bytesOf(key.keyData) };
}

/** Copies bytes out of the buffer pool. A few long-lived bytes would keep 64 KB of it alive. */
export function unpooled(bytes: Uint8Array): Uint8Array {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

function bytesOf(base64: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(base64, 'base64'));
  bytes.write(base64, 'base64');
  return bytes;
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

function withBytes(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  // JSON.stringify has already called Buffer's `toJSON` on `value`, so read the original bytes.
  const raw = this[key];
  return raw instanceof Uint8Array ? { [BYTES]: base64Of(raw) } : value;
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(BYTES in value)) return value;
  return bytesOf(String(value[BYTES]));
}
