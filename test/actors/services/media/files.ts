import { createHash } from 'node:crypto';
import type { Answer } from '../../../support/gateway.ts';

/** The smallest files that are what they say. */
export const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4oKAAAAKkAQHjTKctAAAAAElFTkSuQmCC', 'base64');
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
/** A voice note of 0.2 s, as phones record them. */
export const OGG = Buffer.from(
  'T2dnUwACAAAAAAAAAABFVEFHAAAAAL0+tZYBE09wdXNIZWFkAQE4AYA+AAAAAABPZ2dTAAAAAAAAAAAAAEVUQUcBAAAAeuazJAEXT3B1c1RhZ3MHAAAAZ2F0' +
    'ZXdheQAAAABPZ2dTAAS4JgAAAAAAAEVUQUcCAAAA9Wd2SQSihoRZS4NILYP4GTnyBhaMCjwInpNPW2rRsdiuQWs9M+ZTuFeOmtCptkeQaMCKr1v9klbg0w+a' +
    'IeY0QJ4R/TRle7dLdSBNDHefAYsbbxTbJqXRq9p15YpEbeWOSzAM0cm18Etr1cyPGwKg3xlTciSkR9tpK9gtty8t2REygJ6peEFGcMfWSraIt2tXT76bmNfT' +
    'UvnooqIjv6TcQ13TQPUZhwHYxV9cS4MoLp6peEFGcMfWSramgA+5fJDRLL634Q/8hP1m9ejVZPlek7R2BcX7PjSeqXhBRnDH1kq2iP/jtmvX4z5ySYc1FjYk' +
    'LqWrtQ2tucyzPxANUwTpLWm024PUnql4QUZwx9ZKtqbICmidmHXfpL+rupoitPZW1tIegy1x3V4mU4zdbf2UPYBLgyspnql4QUZwx9ZKtqcwO3MeXf8lAud5' +
    'd+8kSHS3ZuDO4b493dwuFTS1LZOmQJ6peEFGcMfWSramomogzwfuwiec9+t1DE+O6Cw8AacLjJN6JRQWNVOlnql4QUZwx9ZKtuUTakbiwxWiWoDIKqxyYQ4R' +
    'DWtc7csgZlrOLVWfxn9H64ZLgysZnql4QUZwx9ZKtogh5O8r5M16DUC5geceDbK0w0QLeImMkkzL2PpHd2roQAZhJoMmuj3aSbyf6+WQ0BmCnTJFAooUx8A6' +
    'MDCTPgAbHIftBLyrzJNeYA==',
  'base64',
);
export const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
/** A second of red, 32 × 16, without sound. */
export const MP4 = Buffer.from(
  'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAANQbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAA+gAAQAAAQAAAAAAAAAAAAAAAAEAAAAA' +
    'AAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAp90cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAAB' +
    'AAAAAAAAA+gAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAACAAAAAQAAAAAAAkZWR0cwAAABxlbHN0AAAAAAAA' +
    'AAEAAAPoAAAQAAABAAAAAAIXbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAAAoAAAAKABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAABWaWRl' +
    'b0hhbmRsZXIAAAABwm1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAYJzdGJsAAAAvnN0c2QA' +
    'AAAAAAAAAQAAAK5hdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAACAAEABIAAAASAAAAAAAAAABDExhdmMgbGlieDI2NAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
    'GP//AAAANGF2Y0MBZAAK/+EAF2dkAAqs2UuwEQAAAwABAAADAAoPEiWWAQAGaOvjyyLA/fj4AAAAABBwYXNwAAAAAQAAAAEAAAAUYnRydAAAAAAAABfgAAAX' +
    '4AAAABhzdHRzAAAAAAAAAAEAAAAFAAAIAAAAABRzdHNzAAAAAAAAAAEAAAABAAAAOGN0dHMAAAAAAAAABQAAAAEAABAAAAAAAQAAKAAAAAABAAAQAAAAAAEA' +
    'AAAAAAAAAQAACAAAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAUAAAABAAAAKHN0c3oAAAAAAAAAAAAAAAUAAALMAAAADAAAAAwAAAAMAAAADAAAABRzdGNvAAAA' +
    'AAAAAAEAAAOAAAAAPXVkdGEAAAA1bWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAbWRpcmFwcGwAAAAAAAAAAAAAAAAIaWxzdAAAAAhmcmVlAAADBG1kYXQAAAKt' +
    'BgX//6ncRem95tlIt5Ys2CDZI+7veDI2NCAtIGNvcmUgMTY0IHIzMDk1IGJhZWU0MDAgLSBILjI2NC9NUEVHLTQgQVZDIGNvZGVjIC0gQ29weWxlZnQgMjAw' +
    'My0yMDIyIC0gaHR0cDovL3d3dy52aWRlb2xhbi5vcmcveDI2NC5odG1sIC0gb3B0aW9uczogY2FiYWM9MSByZWY9MyBkZWJsb2NrPTE6MDowIGFuYWx5c2U9' +
    'MHgzOjB4MTEzIG1lPWhleCBzdWJtZT03IHBzeT0xIHBzeV9yZD0xLjAwOjAuMDAgbWl4ZWRfcmVmPTEgbWVfcmFuZ2U9MTYgY2hyb21hX21lPTEgdHJlbGxp' +
    'cz0xIDh4OGRjdD0xIGNxbT0wIGRlYWR6b25lPTIxLDExIGZhc3RfcHNraXA9MSBjaHJvbWFfcXBfb2Zmc2V0PS0yIHRocmVhZHM9MSBsb29rYWhlYWRfdGhy' +
    'ZWFkcz0xIHNsaWNlZF90aHJlYWRzPTAgbnI9MCBkZWNpbWF0ZT0xIGludGVybGFjZWQ9MCBibHVyYXlfY29tcGF0PTAgY29uc3RyYWluZWRfaW50cmE9MCBi' +
    'ZnJhbWVzPTMgYl9weXJhbWlkPTIgYl9hZGFwdD0xIGJfYmlhcz0wIGRpcmVjdD0xIHdlaWdodGI9MSBvcGVuX2dvcD0wIHdlaWdodHA9MiBrZXlpbnQ9MjUw' +
    'IGtleWludF9taW49NSBzY2VuZWN1dD00MCBpbnRyYV9yZWZyZXNoPTAgcmNfbG9va2FoZWFkPTQwIHJjPWNyZiBtYnRyZWU9MSBjcmY9MjMuMCBxY29tcD0w' +
    'LjYwIHFwbWluPTAgcXBtYXg9NjkgcXBzdGVwPTQgaXBfcmF0aW89MS40MCBhcT0xOjEuMDAAgAAAABdliIQAEv/+6Mn8yysv49Q3s0Yps0mnHwAAAAhBmiRs' +
    'Q//+uAAAAAhBnkJ4gh9wwQAAAAgBnmF0Q/9+wAAAAAgBnmNqQ/9+wQ==',
  'base64',
);

/** Where nothing is made of files. */
export const NO_DERIVED = {
  open: async () => {
    throw new Error('nothing was made of any file');
  },
};

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A PNG of this size: its beginning, and then nothing that matters. */
export const pngOf = (size: number): Buffer => Buffer.concat([PNG, Buffer.alloc(size - PNG.length, 7)]);

interface Gateway {
  readonly node: { readonly url: string };
}

interface Tenant {
  readonly tokens: { readonly token: string };
}

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
