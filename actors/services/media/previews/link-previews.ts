import { createHash } from 'node:crypto';
import { type Clock, forAtMost } from '../../../../runtime/clock.ts';
import { FairCache } from '../../../../runtime/fair-cache.ts';
import type { LinkPreview } from '../../../../store/messaging/message-row.ts';
import type { Converter } from '../convert/converter.ts';
import type { Fetched, MediaFetcher } from '../fetcher.ts';
import { HEAD_BYTES, typeOf } from '../types.ts';
import { headOf, type PageHead, textOf } from './page-head.ts';

/**
 * Finds link previews. A page is fetched once for each tenant and URL. The result is cached for ten
 * minutes, even if it is a failure. Fetching a page takes at most seven seconds, and `find` never
 * rejects. A tenant may request at most 60 previews a minute. The preview is stored in the message,
 * so that a resend does not fetch the page again.
 */

export interface LinkPreviews {
  /** Fetches the page if `first`, another source of the preview, returns null or rejects. */
  find(tenantId: string, url: string, first?: () => Promise<FoundPreview | null>): Promise<FoundPreview | null>;
  isKnownToFail(tenantId: string, url: string): boolean;
}

export type FoundPreview = Pick<LinkPreview, 'description' | 'picture'> & { readonly title: string };

export interface LinkPreviewsDeps {
  readonly fetcher: MediaFetcher;
  readonly converter: Pick<Converter, 'convert'>;
  readonly clock: Clock;
  mayFetch(tenantId: string): Promise<boolean>;
}

export const WITHIN_MS = 7_000;
const KEPT_MS = 600_000;
const REMEMBERED = 1_000;
const MAX_PAGE_BYTES = 256 * 1024;
const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
export const PREVIEW_SIDE = 192;
const PICTURES = /^image\/(jpeg|png|webp|gif)$/;

interface Known {
  readonly at: number;
  readonly found: FoundPreview | null;
}

interface Page extends PageHead {
  readonly url: string;
}

export function createLinkPreviews({ fetcher, converter, clock, mayFetch }: LinkPreviewsDeps): LinkPreviews {
  const kept = new FairCache<Known>(REMEMBERED);
  const underWay = new Map<string, Promise<FoundPreview | null>>();

  async function pictureAt(tenantId: string, { picture, url }: Page): Promise<string | undefined> {
    const address = picture === null ? null : URL.parse(picture, url);
    if (!address) return undefined;
    const bytes = await fetcher.fetch(tenantId, address.href, (file) => allOf(file, MAX_PICTURE_BYTES));
    const contentType = bytes && (await typeOf(bytes.subarray(0, HEAD_BYTES), null));
    if (!bytes || !contentType || !PICTURES.test(contentType)) return undefined;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const source = { contentType, sha256, open: async () => [bytes] };
    const { notes, made } = await converter.convert(tenantId, source, { make: 'thumbnail', maxSide: PREVIEW_SIDE });
    await made?.file.close();
    return notes.thumbnail;
  }

  async function fetched(tenantId: string, url: string): Promise<FoundPreview | null> {
    const until = clock.now() + WITHIN_MS;
    const inTime = <T>(work: Promise<T>): Promise<T | null> => within(clock, until - clock.now(), work);
    const page = await inTime(fetcher.fetch(tenantId, url, pageIn));
    if (!page || page.title === null) return null;
    const picture = await inTime(pictureAt(tenantId, page));
    return { title: page.title, ...(page.description !== null && { description: page.description }), ...(picture && { picture }) };
  }

  async function tried(tenantId: string, url: string, first?: () => Promise<FoundPreview | null>): Promise<FoundPreview | null> {
    if (!(await mayFetch(tenantId))) return null;
    const found = (await first?.().catch(() => null)) ?? (await fetched(tenantId, url));
    kept.set(tenantId, url, { at: clock.now(), found });
    return found;
  }

  function known(tenantId: string, url: string): Known | null {
    const found = kept.get(tenantId, url);
    return found && clock.now() - found.at < KEPT_MS ? found : null;
  }

  return {
    async find(tenantId, url, first) {
      const name = `${tenantId} ${url}`;
      const before = known(tenantId, url);
      if (before) return before.found;
      const begun =
        underWay.get(name) ??
        tried(tenantId, url, first)
          .catch(() => null)
          .finally(() => underWay.delete(name));
      underWay.set(name, begun);
      return begun;
    },

    isKnownToFail: (tenantId, url) => known(tenantId, url)?.found === null,
  };
}

async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  let result: T | null = null;
  const done = work.then(
    (value) => {
      result = value;
    },
    () => {},
  );
  await forAtMost(clock, Math.max(0, ms), done);
  return result;
}

async function pageIn(file: Fetched): Promise<Page | null> {
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(file.contentType ?? 'text/html')) return null;
  const bytes = await startOf(file);
  return { ...headOf(textOf(bytes, file.contentType)), url: file.url };
}

const END_OF_HEAD = /<\/head|<body/i;
/** Characters that are searched again with the next chunk, because a tag may be split. */
const OVERLAP = 16;

async function startOf({ source }: Fetched): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let tail = '';
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    const text = tail + Buffer.from(chunk).toString('latin1');
    if (size >= MAX_PAGE_BYTES || END_OF_HEAD.test(text)) break;
    tail = text.slice(-OVERLAP);
  }
  return Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES);
}

async function allOf({ source }: Fetched, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
