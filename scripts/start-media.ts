import type { Logger } from 'pino';
import { createDirectFiles, type DirectFiles } from '../actors/media/direct.ts';
import { createMediaLibrary, type MediaLibrary } from '../actors/media/library.ts';
import { sweepMedia } from '../actors/media/sweep.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Store } from '../store/collection.ts';
import { mediaOnDisk } from '../store/media/disk.ts';
import { type DirectUploads, type MediaBytes, mediaIn } from '../store/media.ts';
import { promisedUploadsIn } from '../store/promised-uploads.ts';
import { roundsIn } from '../store/rounds.ts';
import type { Config } from './config.ts';

/** Files, wherever they lie. */
export interface MediaWorld {
  readonly media: MediaLibrary;
  /** null: on disk, every file comes through us. */
  readonly directFiles: DirectFiles | null;
  /** A part of what is to be cleared away; to be called from time to time. */
  sweep(now: number): Promise<void>;
}

export async function startMedia(config: Config, store: Store, clock: Clock, log: Logger): Promise<MediaWorld> {
  const rows = mediaIn(store);
  const rounds = roundsIn(store);
  const now = (): number => clock.now();
  const bucket = await openBucket(config);
  const bytes: MediaBytes = bucket ?? (await mediaOnDisk({ directory: `${config.data_dir}/media`, node: config.node_id }));
  const directFiles = bucket && createDirectFiles({ rows, bytes, direct: bucket, uploads: promisedUploadsIn(store), now });
  return {
    media: createMediaLibrary({ rows, bytes, direct: directFiles, now }),
    directFiles,
    async sweep(at) {
      await directFiles?.settle(at);
      const removed = await sweepMedia({ rows, bytes, rounds }, at);
      if (removed > 0) log.info({ removed }, 'bytes of files without a record were removed');
    },
  };
}

/** The client is loaded only where it is used: a node without a bucket starts faster. */
async function openBucket(config: Config): Promise<(MediaBytes & DirectUploads) | null> {
  const { s3_bucket: bucket, s3_endpoint: endpoint, s3_region: region, s3_prefix: prefix, s3_path_style } = config;
  if (bucket === null) return null;
  const { mediaInS3 } = await import('../store/media/s3.ts');
  const { s3_access_key_id: accessKeyId, s3_secret_access_key: secretAccessKey, data_dir, node_id } = config;
  return mediaInS3({
    bucket,
    endpoint,
    region,
    credentials: accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : null,
    pathStyle: s3_path_style ?? endpoint !== null,
    prefix,
    spool: `${data_dir}/media/incoming/${node_id}`,
  });
}
