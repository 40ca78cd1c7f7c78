import { tooLarge } from '../../../actors/domain/refusals.ts';
import type { Fetched } from '../../../actors/services/media/fetcher.ts';
import type { FileViewer } from '../../../actors/services/media/file-access.ts';
import { at } from '../../../runtime/invariant.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import { type AttachingServices, fileOf, withBoundedFiles } from './attachments.ts';

export interface AlbumItem {
  readonly media_r2_key?: string;
  readonly url?: string;
}

/** Removes the downloaded files if one fails. Fails with PAYLOAD_TOO_LARGE above `maxBytes`. */
export async function filesOfAlbum(
  services: AttachingServices,
  viewer: FileViewer,
  items: readonly AlbumItem[],
  { maxBytes, now }: { readonly maxBytes: number; readonly now: number },
): Promise<readonly MediaRow[]> {
  const shared = new SharedBytes(maxBytes);
  const reading = withBoundedFiles({
    ...services,
    fetcher: { fetch: (tenantId, url, take) => services.fetcher.fetch(tenantId, url, async (file) => take(shared.counted(file))) },
  });
  const read = (wanted: (item: AlbumItem) => boolean) =>
    Promise.allSettled(
      items.map((item) => (wanted(item) ? fileOf(reading, viewer, item, now).catch((cause) => shared.stop(cause)) : null)),
    );
  const here = await read(({ url }) => url === undefined);
  for (const one of here) if (one.status === 'rejected') throw one.reason;
  for (const one of here) if (one.status === 'fulfilled' && one.value) shared.take(one.value.size);
  const downloaded = await read(({ url }) => url !== undefined);
  if (shared.stopped) {
    for (const one of downloaded)
      if (one.status === 'fulfilled' && one.value) await services.media.remove(viewer.tenantId, one.value._id).catch(() => {});
    throw shared.stopped.cause;
  }
  return items.flatMap((_, nth) =>
    [at(here, nth), at(downloaded, nth)].flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : [])),
  );
}

class SharedBytes {
  readonly #max: number;
  readonly #stop = Promise.withResolvers<never>();
  #left: number;
  stopped: { readonly cause: unknown } | null = null;

  constructor(max: number) {
    this.#max = max;
    this.#left = max;
    this.#stop.promise.catch(() => {});
  }

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw tooLarge(this.#max);
  }

  stop(cause: unknown): never {
    this.stopped ??= { cause };
    this.#stop.reject(cause);
    throw cause;
  }

  counted(file: Fetched): Fetched {
    if (this.stopped) throw this.stopped.cause;
    if (file.size !== null) this.take(file.size);
    return { ...file, source: this.#through(file) };
  }

  async *#through({ source, size }: Fetched): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = source[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([chunks.next(), this.#stop.promise]);
      if (next.done) return;
      if (size === null) this.take(next.value.length);
      yield next.value;
    }
  }
}
