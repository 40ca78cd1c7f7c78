import type { Logger } from 'pino';
import { planOf } from '../../actors/domain/plans.ts';
import { type Converter, createConverter } from '../../actors/services/media/convert/converter.ts';
import { createDerivedLibrary, type DerivedLibrary } from '../../actors/services/media/derived-library.ts';
import { createDirectFiles, type DirectFiles } from '../../actors/services/media/direct-upload.ts';
import { createMediaLibrary, type MediaLibrary } from '../../actors/services/media/library.ts';
import { createMediaQuota } from '../../actors/services/media/media-quota.ts';
import { createPreparedFiles, type PreparedFiles } from '../../actors/services/media/prepared-files.ts';
import { sweepMedia } from '../../actors/services/media/sweep.ts';
import { createUploadSlots } from '../../actors/services/media/upload-slots.ts';
import type { ChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { FairSlots } from '../../runtime/fair-slots.ts';
import { tenantsIn } from '../../store/accounts/tenants.ts';
import { documentsIn } from '../../store/ai-reply/documents.ts';
import { checkpointsIn } from '../../store/jobs/checkpoints.ts';
import { derivedFilesIn } from '../../store/media/derived-files.ts';
import { mediaOnDisk } from '../../store/media/disk.ts';
import { type DirectUploads, type MediaBytes, mediaIn } from '../../store/media/media.ts';
import { type MediaUsage, mediaUsageIn } from '../../store/media/media-usage.ts';
import { directoryMark, isMarked } from '../../store/media/own-directory.ts';
import { promisedUploadsIn } from '../../store/media/promised-uploads.ts';
import { openUploadLinksIn } from '../../store/media/upload-links.ts';
import type { Store } from '../../store/port.ts';
import { exportsIn } from '../../store/privacy/exports.ts';
import type { Config } from './config.ts';

export interface MediaServices {
  readonly media: MediaLibrary & PreparedFiles;
  readonly derived: DerivedLibrary;
  readonly converter: Converter;
  /** Null if files are stored on disk, and so pass through the gateway. */
  readonly directFiles: DirectFiles | null;
  readonly mediaUsage: MediaUsage;
  readonly uploads: FairSlots;
  readonly bytes: MediaBytes;
  sweep(now: number): Promise<void>;
}

export async function startMedia(
  config: Config,
  store: Store,
  isShared: boolean,
  children: ChildProcesses,
  clock: Clock,
  log: Logger,
  given?: MediaBytes,
): Promise<MediaServices> {
  const rows = mediaIn(store);
  const documents = documentsIn(store);
  const exportFiles = exportsIn(store);
  const checkpoints = checkpointsIn(store);
  const now = (): number => clock.now();
  const bucket = await openBucket(config);
  const bytes: MediaBytes = given ?? bucket ?? (await openDirectory(config, store, isShared, clock));
  const tenants = tenantsIn(store);
  const usage = mediaUsageIn(store);
  const limitOf = async (tenantId: string): Promise<number> =>
    planOf(config.plans, (await tenants.find(tenantId))?.plan ?? 'free').media_bytes;
  const quota = createMediaQuota({ usage, limitOf, now });
  const directFiles = bucket && createDirectFiles({ rows, bytes, direct: bucket, uploads: promisedUploadsIn(store), quota, now });
  const nameOf = async (tenantId: string): Promise<string> => (await tenants.find(tenantId))?.name ?? '';
  const derivedRows = derivedFilesIn(store);
  const converter = createConverter({ children, ffmpeg: config.media_ffmpeg, now });
  const hasSource = async (tenantId: string, key: string): Promise<boolean> => (await rows.find(tenantId, key)) !== null;
  const derived = createDerivedLibrary({ rows: derivedRows, bytes, converter, hasSource, now });
  const links = openUploadLinksIn(store);
  const library = createMediaLibrary({ rows, bytes, direct: directFiles, links, quota, dropDerived: derived.drop, now });
  return {
    media: { ...library, ...createPreparedFiles({ derived, rows, nameOf }) },
    derived,
    converter,
    directFiles,
    mediaUsage: usage,
    uploads: createUploadSlots(),
    bytes,
    async sweep(at) {
      try {
        await directFiles?.settle(at);
      } finally {
        const removed = await sweepMedia({ owners: [rows, derivedRows, documents, exportFiles], bytes, checkpoints, clock }, at);
        if (removed > 0) log.info({ event: 'media.orphans_removed', removed }, 'bytes of files without a record were removed');
      }
    },
  };
}

/** Checks that the files belong to the store. A single node's embedded store does not need a check. */
async function openDirectory({ data_dir, node_id }: Config, store: Store, isShared: boolean, clock: Clock): Promise<MediaBytes> {
  const directory = `${data_dir}/media`;
  const bytes = await mediaOnDisk({ directory, node: node_id });
  if (store.name === 'embedded' && !isShared) return bytes;
  const mark = await directoryMark(store, directory, clock.now());
  if (!isShared || isMarked(directory, mark)) return bytes;
  throw new Error(
    `${directory} does not contain the files of this store. The nodes of a cluster share them: set S3_BUCKET, or mount one directory at ${directory} on each node (the one with the file ${mark}).`,
  );
}

async function openBucket(config: Config): Promise<(MediaBytes & DirectUploads) | null> {
  const { s3_bucket: bucket, s3_endpoint: endpoint, s3_region: region, s3_prefix: prefix, s3_path_style } = config;
  if (bucket === null) return null;
  const { mediaInS3 } = await import('../../store/media/s3.ts');
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
