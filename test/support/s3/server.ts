import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { aDirectory, type Scope } from '../stores.ts';
import { ACCESS_KEY, expectSigned, S3Refusal, SECRET_KEY } from './signed.ts';

/** A loopback server that speaks S3, with one bucket. Checks signatures, sizes and hashes as strictly as S3. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** Returns the keys of all objects, sorted. */
  keys(): readonly string[];
  /** Returns the contents of all objects, in the order of their keys. */
  contents(): readonly Buffer[];
  /** Makes the next requests with this method fail with this status. */
  fail(method: string, status: number, times: number): void;
  /** Access lines: method, path and status. */
  readonly log: readonly string[];
}

const BUCKET = 'media-of-tests';

/** Returns the gateway configuration for this server. */
export const s3Config = ({ endpoint, bucket }: S3Server) => ({
  s3_endpoint: endpoint,
  s3_bucket: bucket,
  s3_access_key_id: ACCESS_KEY,
  s3_secret_access_key: SECRET_KEY,
});

interface Asked {
  readonly directory: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Object key; '' for the bucket itself. */
  readonly key: string;
}

/** Objects are files named by their encoded keys. */
const pathOf = (directory: string, key: string): string => join(directory, encodeURIComponent(key));

export async function anS3(scope: Scope): Promise<S3Server> {
  const directory = join(aDirectory(scope), 'objects');
  mkdirSync(directory);
  const failures: { readonly method: string; readonly status: number; times: number }[] = [];
  const log: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    response.on('finish', () => void log.push(`${request.method} ${url.pathname} ${response.statusCode}`));
    serve(directory, failures, request, response, url).catch((cause: unknown) => refuse(response, cause));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: BUCKET,
    keys: () => keysIn(directory),
    contents: () => keysIn(directory).map((key) => readFileSync(pathOf(directory, key))),
    fail: (method, status, times) => void failures.push({ method, status, times }),
    log,
  };
}

const keysIn = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => !name.endsWith('~'))
    .map(decodeURIComponent)
    .sort();

async function serve(
  directory: string,
  failures: readonly { readonly method: string; readonly status: number; times: number }[],
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const failure = failures.find(({ method, times }) => method === request.method && times > 0);
  if (failure) {
    failure.times -= 1;
    request.resume();
    throw new S3Refusal(failure.status, 'ServiceUnavailable');
  }
  await expectSigned(request, url);
  const [, bucket, ...path] = url.pathname.split('/');
  if (bucket !== BUCKET) throw new S3Refusal(404, 'NoSuchBucket');
  await handlerOf(request, path.join('/'))({ directory, request, response, url, key: decodeURIComponent(path.join('/')) });
}

function handlerOf({ method, headers }: IncomingMessage, key: string): (asked: Asked) => void | Promise<void> {
  if (key === '' && method === 'GET') return list;
  if (key !== '' && method === 'PUT') return headers['x-amz-copy-source'] === undefined ? put : copy;
  if (key !== '' && method === 'GET') return get;
  if (key !== '' && method === 'DELETE') return remove;
  throw new S3Refusal(405, 'MethodNotAllowed');
}

async function put({ directory, request, response, key }: Asked): Promise<void> {
  const size = Number(request.headers['content-length']);
  if (!Number.isInteger(size)) throw new S3Refusal(411, 'MissingContentLength');
  const path = pathOf(directory, key);
  const hash = createHash('sha256');
  await pipeline(
    request,
    async function* (source) {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(`${path}~`),
  );
  const sum = request.headers['x-amz-checksum-sha256'];
  if (sum !== undefined && sum !== hash.digest('base64')) throw new S3Refusal(400, 'BadDigest');
  if (statSync(`${path}~`).size !== size) throw new S3Refusal(400, 'IncompleteBody');
  renameSync(`${path}~`, path);
  response.writeHead(200, { etag: '"whole"' }).end();
}

function copy({ directory, request, response, key }: Asked): void {
  const [from, ...path] = decodeURIComponent(String(request.headers['x-amz-copy-source'])).replace(/^\//, '').split('/');
  const source = pathOf(directory, path.join('/'));
  if (from !== BUCKET || !existsSync(source)) throw new S3Refusal(404, 'NoSuchKey');
  copyFileSync(source, pathOf(directory, key));
  xml(response, '<CopyObjectResult><ETag>"whole"</ETag></CopyObjectResult>');
}

async function get({ directory, response, key }: Asked): Promise<void> {
  const path = pathOf(directory, key);
  if (!existsSync(path)) throw new S3Refusal(404, 'NoSuchKey');
  response.writeHead(200, { 'content-length': statSync(path).size, 'content-type': 'application/octet-stream' });
  await pipeline(createReadStream(path), response).catch(() => {});
}

function remove({ directory, response, key }: Asked): void {
  rmSync(pathOf(directory, key), { force: true });
  response.writeHead(204).end();
}

function list({ directory, response, url }: Asked): void {
  const { searchParams: query } = url;
  const [prefix, after, most] = [query.get('prefix') ?? '', query.get('start-after') ?? '', Number(query.get('max-keys') ?? 1_000)];
  const found = keysIn(directory).filter((key) => key.startsWith(prefix) && key > after);
  const contents = found.slice(0, most).map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
  xml(response, `<ListBucketResult><IsTruncated>${found.length > most}</IsTruncated>${contents.join('')}</ListBucketResult>`);
}

const xml = (response: ServerResponse, body: string, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);

function refuse(response: ServerResponse, cause: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, code } = cause instanceof S3Refusal ? cause : new S3Refusal(500, `InternalError: ${String(cause)}`);
  xml(response, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status);
}
