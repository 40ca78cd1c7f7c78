import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../../runtime/clock.ts';
import type { Journal } from '../journal.ts';
import { makeCertificate } from './certificate.ts';

const AUTH = 'peer-auth';

/** Stores encrypted files. Uploads and downloads use HTTPS, because clients do not accept anything else. */
export interface MediaHost {
  /** `127.0.0.1:…` */
  readonly name: string;
  /** Authorization token that uploads must carry. */
  readonly auth: string;
  /** PEM certificate that clients must trust. */
  readonly certificate: string;
  put(sealed: Buffer): { readonly url: string; readonly directPath: string };
  /** Returns a file by the path of its URL; null if it was removed. */
  get(directPath: string): Buffer | null;
  /** Number of upload requests so far. */
  readonly uploads: number;
  /** Makes all existing files unavailable for download. */
  forgetAll(): void;
  /** Answers uploads with this status instead of accepting them; null accepts them again. */
  refuseUploads(status: number | null): void;
  /** Answers downloads with this status; null serves them again. */
  refuseDownloads(status: number | null): void;
  stop(): Promise<void>;
}

/** Starts a media host. `handleOf` returns the name that channel posts use for an unencrypted file with this hash. */
export async function startMediaHost(clock: Clock, journal: Journal, handleOf: (sum: string) => string): Promise<MediaHost> {
  const { key, certificate } = makeCertificate(clock.now());
  const files = new Map<string, Buffer>();
  const gone = new Set<string>();
  let uploads = 0;
  let refused: number | null = null;
  let withheld: number | null = null;
  const put = (sealed: Buffer): { url: string; directPath: string } => {
    const path = `/v/${createHash('sha256').update(sealed).digest('base64url')}.enc`;
    files.set(path, sealed);
    gone.delete(path);
    // Clients append their own parameters with `&`.
    const directPath = `${path}?ccb=11-4`;
    return { url: `https://${name}${directPath}`, directPath };
  };
  const upload = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://peer');
    uploads += 1;
    const body = await buffer(request);
    const named = pathname.split('/').at(-1);
    const sum = createHash('sha256').update(body).digest('base64url');
    const isRight = searchParams.get('auth') === AUTH && named?.replaceAll('=', '') === sum;
    journal.event('uploaded', 'media', { bytes: body.length, path: pathname, isRight, port: request.socket.remotePort });
    if (refused !== null || !isRight) return end(answer, refused ?? 400);
    const { url, directPath } = put(body);
    const isOpen = pathname.startsWith('/newsletter/newsletter-') && searchParams.get('server_thumb_gen') === '1';
    end(answer, 200, JSON.stringify({ url, direct_path: directPath, ...(isOpen && { handle: handleOf(sum) }) }));
  };
  const download = (request: IncomingMessage, answer: ServerResponse): void => {
    const pathname = pathOf(request);
    const found = files.get(pathname);
    journal.event('downloaded', 'media', { path: pathname, bytes: found?.length ?? null, port: request.socket.remotePort });
    if (withheld !== null) end(answer, withheld);
    else if (found) end(answer, 200, found);
    else end(answer, gone.has(pathname) ? 410 : 404);
  };
  const remove = (request: IncomingMessage, answer: ServerResponse): void => {
    const pathname = pathOf(request);
    const was = files.delete(pathname);
    if (was) gone.add(pathname);
    journal.event('deleted', 'media', { path: pathname, was });
    end(answer, was ? 200 : 404);
  };
  const server = createServer({ key, cert: certificate }, (request, answer) => {
    if (request.method === 'POST') void upload(request, answer).catch(() => answer.destroy());
    else if (request.method === 'DELETE') remove(request, answer);
    else download(request, answer);
  });
  const name = await listen(server);
  return {
    name,
    auth: AUTH,
    certificate,
    get uploads() {
      return uploads;
    },
    put,
    get: (path) => files.get(path.split('?')[0]!) ?? null,
    forgetAll: () => {
      for (const path of files.keys()) gone.add(path);
      files.clear();
    },
    refuseUploads: (status) => {
      refused = status;
    },
    refuseDownloads: (status) => {
      withheld = status;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the path as written in the request, which may be invalid. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1).join();

function end(answer: ServerResponse, status: number, body?: string | Buffer): void {
  answer.writeHead(status, { 'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream' });
  answer.end(body);
}
