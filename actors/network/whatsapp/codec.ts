/** How secrets are written: JSON, with bytes as base64. */

const BYTES = '$bytes';

export function encode(kind: string, value: unknown): string {
  // These two are the ones that change with each message, and hold no bytes.
  if (kind === 'session' || kind === 'inbound') return JSON.stringify(value);
  return JSON.stringify(value, withBytes);
}

export function decode(kind: string, text: string): unknown {
  if (kind === 'session' || kind === 'inbound') return JSON.parse(text);
  return JSON.parse(text, revive);
}

function withBytes(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  // A Buffer has made an object of itself by now: look at what it was.
  const raw = this[key];
  return raw instanceof Uint8Array ? { [BYTES]: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('base64') } : value;
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(BYTES in value)) return value;
  return Buffer.from(String(value[BYTES]), 'base64');
}
