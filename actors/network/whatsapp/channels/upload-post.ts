import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileContent, OpenFile } from '../../port.ts';
import { isObject } from '../mex/read-mex.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

export interface UploadedPost {
  readonly url: string;
  readonly directPath: string;
  readonly handle: string;
  readonly sha256: Buffer;
  readonly size: number;
}

const ANSWERED_WITHIN_MS = 120_000;
const LONGEST_ANSWER = 65_536;

export const kindOf = ({ type, voiceNote }: Pick<FileContent, 'type' | 'voiceNote'>): string =>
  type === 'audio' && voiceNote ? 'ptt' : type;

/** Uploads a file from a copy on disk, because the upload address contains the hash of the whole file. */
export async function uploadPost(
  { socket, tunnel }: Pick<ConnectionContext, 'socket' | 'tunnel'>,
  content: FileContent,
  open: OpenFile,
): Promise<UploadedPost> {
  const path = join(tmpdir(), `post-${randomUUID()}`);
  try {
    const { sha256, size } = await copied(await open(), path);
    const { auth, hosts } = await socket.refreshMediaConn(false);
    const token = sha256.toString('base64url');
    const query = new URLSearchParams({ auth, token, server_thumb_gen: '1' });
    for (const { hostname } of hosts) {
      const url = `https://${hostname}/newsletter/newsletter-${kindOf(content)}/${token}?${query}`;
      const answer = await posted(url, path, size, tunnel?.uploads).catch(() => null);
      const taken = takenAs(answer);
      if (taken) return { ...taken, sha256, size };
    }
    throw new Error('no host of the network accepted the file');
  } finally {
    await unlink(path).catch(() => {});
  }
}

async function copied(from: Readable, path: string): Promise<{ readonly sha256: Buffer; readonly size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(from, measure, createWriteStream(path, { mode: 0o600 }));
  return { sha256: hash.digest(), size };
}

function takenAs(answer: unknown): Pick<UploadedPost, 'url' | 'directPath' | 'handle'> | null {
  const { url, direct_path: directPath, handle } = isObject(answer) ? answer : {};
  if (typeof handle !== 'string' || typeof directPath !== 'string') return null;
  return { url: typeof url === 'string' ? url : '', directPath, handle };
}

type Agent = NonNullable<Parameters<typeof request>[1]['agent']>;

function posted(url: string, path: string, size: number, agent: Agent | undefined): Promise<unknown> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size), origin: 'https://web.whatsapp.com' };
  return new Promise((resolve, reject) => {
    const upload = request(url, { method: 'POST', headers, timeout: ANSWERED_WITHIN_MS, ...(agent && { agent }) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > LONGEST_ANSWER) answer.destroy(new Error('the response to an upload is too long'));
      });
      answer.on('error', reject);
      answer.on('end', () => resolve(answer.statusCode === 200 ? jsonOf(text) : null));
    });
    upload.on('timeout', () => upload.destroy(new Error('an upload received no response')));
    upload.on('error', reject);
    pipeline(createReadStream(path), upload).catch(reject);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
