import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { asError } from '../../runtime/errors.ts';
import { memberOf } from '../../runtime/shapes.ts';
import { BUCKET_SOCKETS, BucketSockets } from './bucket-sockets.ts';
import type { DirectUploads, MediaBytes } from './media.ts';
import { MediaUnavailable } from './unavailable.ts';

export interface S3Options {
  readonly bucket: string;
  readonly endpoint: string | null;
  readonly region: string;
  /** If null, credentials come from the environment (AWS_* variables or the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** True to put the bucket in the path, as most services other than Amazon's expect. */
  readonly pathStyle: boolean;
  readonly prefix: string;
  /** This node's directory for files in transit, because a bucket needs their size and hash first. */
  readonly spool: string;
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 30_000;
const TRIES = 3;

/** Stores files at `<prefix>files/<tenant>/<name>`. Uploads stay in `<prefix>incoming/` until adopted. */
export async function mediaInS3(options: S3Options): Promise<MediaBytes & DirectUploads> {
  const { bucket: Bucket, prefix, spool } = options;
  const client = clientFor(options);
  const keyOf = (tenantId: string, blob: string): string => `${prefix}files/${tenantId}/${blob}`;
  const incomingOf = (tenantId: string, upload: string): string => `${prefix}incoming/${tenantId}/${upload}`;
  const sockets = new BucketSockets(() => new MediaUnavailable('too many files of this tenant wait for the bucket'));
  const removed = async (tenantId: string, Key: string): Promise<void> =>
    void (await told(() => sockets.run(tenantId, () => client.send(new DeleteObjectCommand({ Bucket, Key })))));
  await rm(spool, { recursive: true, force: true });
  await mkdir(spool, { recursive: true, mode: 0o700 });

  return {
    async write(tenantId, blob, source) {
      const path = join(spool, blob);
      try {
        const { size, sha256 } = await spooled(path, source);
        const object = { Bucket, Key: keyOf(tenantId, blob), ContentLength: size, ChecksumSHA256: sha256, ContentType: OPAQUE };
        await tried(() => sockets.run(tenantId, () => client.send(new PutObjectCommand({ ...object, Body: createReadStream(path) }))));
      } finally {
        await rm(path, { force: true });
      }
    },

    async read(tenantId, blob) {
      const object = { Bucket, Key: keyOf(tenantId, blob) };
      return orNull(() => sockets.open(tenantId, async () => streamOf((await client.send(new GetObjectCommand(object))).Body)));
    },

    remove: (tenantId, blob) => removed(tenantId, keyOf(tenantId, blob)),

    async list(after, limit) {
      const from = after === null ? {} : { StartAfter: `${prefix}${after}` };
      const { Contents = [] } = await told(() =>
        sockets.run(OWN, () => client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: limit, ...from }))),
      );
      return Contents.map(({ Key = '' }) => Key.slice(prefix.length));
    },

    discard: async (place) => {
      if (OURS.test(place)) await removed(OWN, `${prefix}${place}`);
    },

    addressFor(tenantId, upload, size, withinSeconds) {
      const object = { Bucket, Key: incomingOf(tenantId, upload), ContentLength: size };
      return getSignedUrl(client, new PutObjectCommand(object), {
        expiresIn: withinSeconds,
        signableHeaders: new Set(['host', 'content-length']),
      });
    },

    async adopt(tenantId, upload, blob) {
      const CopySource = encodeURI(`${Bucket}/${incomingOf(tenantId, upload)}`);
      const to = { Bucket, Key: keyOf(tenantId, blob), CopySource, ContentType: OPAQUE, MetadataDirective: 'REPLACE' } as const;
      return (await orNull(() => sockets.run(tenantId, () => client.send(new CopyObjectCommand(to))))) !== null;
    },

    forget: (tenantId, upload) => removed(tenantId, incomingOf(tenantId, upload)),
  };
}

const OWN = '';

/** The bucket may also contain other owners' objects. */
const OURS = /^(files|incoming)\/[\w-]+\/[\w-]+$/;

/** Prevents the bucket from serving a file as an HTML page. */
const OPAQUE = 'application/octet-stream';

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

function clientFor({ endpoint, region, credentials, pathStyle }: S3Options): S3Client {
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
    maxAttempts: TRIES,
    // The default logger would write to the console.
    logger: SILENT,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      httpAgent: { maxSockets: BUCKET_SOCKETS },
      httpsAgent: { maxSockets: BUCKET_SOCKETS },
    },
    // Many services other than Amazon's do not support checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

async function spooled(path: string, source: AsyncIterable<Uint8Array>): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const measured = async function* () {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  await pipeline(measured, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { size, sha256: hash.digest('base64') };
}

/** The client does not retry a streamed body, but the file can be read again. */
async function tried<T>(send: () => Promise<T>, triesLeft = TRIES - 1): Promise<T> {
  try {
    return await told(send);
  } catch (cause) {
    if (!(cause instanceof MediaUnavailable) || triesLeft === 0) throw cause;
    return tried(send, triesLeft - 1);
  }
}

function statusOf(cause: unknown): number | null {
  const status = memberOf(memberOf(cause, '$metadata'), 'httpStatusCode');
  return typeof status === 'number' ? status : null;
}

function streamOf(body: unknown): Readable {
  if (body instanceof Readable) return body;
  throw new MediaUnavailable('the bucket answers without a stream');
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await told(ask);
  } catch (cause) {
    if (statusOf(cause) === 404 && asError(cause).name !== 'NoSuchBucket') return null;
    throw cause;
  }
}

async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const status = statusOf(cause);
    if (status !== null && status < 500 && status !== 429) throw cause;
    throw new MediaUnavailable(`the bucket does not serve: ${asError(cause).message}`, { cause });
  }
}
