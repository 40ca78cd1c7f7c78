import { join } from 'node:path';
import { mediaOnDisk } from '../../../store/media/disk.ts';
import type { MediaBytes } from '../../../store/media/media.ts';
import { mediaInS3 } from '../../../store/media/s3.ts';
import { anS3, s3Config } from '../../support/s3/server.ts';
import { ACCESS_KEY, SECRET_KEY } from '../../support/s3/signed.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';

/** Somewhere bytes may lie. */
export interface Place {
  readonly name: 'disk' | 's3';
  fresh(scope: Scope): Promise<MediaBytes>;
  /** What makes a gateway keep its files there. */
  config(scope: Scope): Promise<object>;
}

export const places: readonly Place[] = [
  { name: 'disk', fresh: (scope) => mediaOnDisk({ directory: aDirectory(scope), node: 'n1' }), config: async () => ({}) },
  { name: 's3', fresh: async (scope) => (await aBucket(scope)).bytes, config: async (scope) => s3Config(await anS3(scope)) },
];

/** A client of a fresh S3 server. */
async function aBucket(scope: Scope) {
  const server = await anS3(scope);
  const bytes = await mediaInS3({
    bucket: server.bucket,
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    pathStyle: true,
    prefix: 'gateway/',
    spool: join(aDirectory(scope), 'spool'),
  });
  return { server, bytes };
}
