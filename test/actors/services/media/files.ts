import { createHash } from 'node:crypto';
import type { Answer, Gateway, Tenant } from '../../../support/gateway.ts';

/** The smallest files that are what they say. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
export const OGG = Buffer.concat([
  Buffer.from('OggS\0\u0002'),
  Buffer.alloc(20),
  Buffer.from('\u0001\u0013OpusHead\u0001\u0002'),
  Buffer.alloc(60),
]);
export const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
export const MP4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypmp42\0\0\0\0mp42isom'), Buffer.alloc(64)]);

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A PNG of this size: its beginning, and then nothing that matters. */
export const pngOf = (size: number): Buffer => Buffer.concat([PNG, Buffer.alloc(size - PNG.length, 7)]);

/** Sends bytes as they are. */
export async function put(
  gateway: Gateway,
  tenant: Tenant | null,
  path: string,
  bytes: Uint8Array | FormData | ReadableStream,
  type?: string,
): Promise<Answer> {
  const headers = { ...(tenant && { authorization: `Bearer ${tenant.tokens.token}` }), ...(type && { 'content-type': type }) };
  const response = await fetch(`${gateway.node.url}${path}`, {
    method: 'POST',
    headers,
    body: bytes as NonNullable<RequestInit['body']>,
    duplex: 'half',
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export const upload = (gateway: Gateway, tenant: Tenant, bytes: Uint8Array, filename = ''): Promise<Answer> =>
  put(gateway, tenant, `/v1/media/upload${filename && `?filename=${encodeURIComponent(filename)}`}`, bytes, 'application/octet-stream');

/** What a path answers, as bytes. */
export async function got(gateway: Gateway, tenant: Tenant, path: string): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${gateway.node.url}${path}`, { headers: { authorization: `Bearer ${tenant.tokens.token}` } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
