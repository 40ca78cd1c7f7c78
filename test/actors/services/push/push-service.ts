import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../../../support/stores.ts';

/** What the service got for one browser. */
export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on loopback. */
export interface PushService {
  /** `host:port`. */
  readonly place: string;
  readonly pushed: readonly Pushed[];
  /** What it answers from now on; null: nothing, until it is told what. */
  answer(status: number | null): void;
}

export async function aPushService(scope: Scope): Promise<PushService> {
  const pushed: Pushed[] = [];
  let status: number | null = 201;
  const held: ServerResponse[] = [];
  const server = createServer((asked, answer) => {
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => {
      pushed.push({ path: asked.url ?? '', headers: asked.headers, body: Buffer.concat(chunks) });
      if (status === null) held.push(answer);
      else answer.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    place,
    pushed,
    answer(next) {
      status = next;
      if (next !== null) for (const answer of held.splice(0)) answer.writeHead(next).end();
    },
  };
}

/** A browser that subscribed at the service: its keys, and how it reads what was encrypted for it. */
export interface Browser {
  readonly subscription: { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } };
  // biome-ignore lint/suspicious/noExplicitAny: stories look into it
  read(pushed: Pushed): any;
}

export function aBrowser({ place }: PushService, name: string): Browser {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') };
  return {
    subscription: { endpoint: `http://${place}/${name}`, keys },
    read: ({ body }) => JSON.parse(decrypted(body, (from) => pair.computeSecret(from), publicKey, auth)),
  };
}

/** RFC 8291 over RFC 8188 with one record, written from the two documents. */
function decrypted(body: Buffer, secretWith: (key: Buffer) => Buffer, publicKey: Buffer, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body[20]!);
  const sealed = body.subarray(21 + body[20]!);
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
  const input = Buffer.from(hkdfSync('sha256', secretWith(sender), auth, about, 32));
  const key = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: nonce\0', 12));
  const opener = createDecipheriv('aes-128-gcm', key, nonce);
  opener.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]).toString();
  return text.slice(0, text.lastIndexOf('\u0002'));
}
