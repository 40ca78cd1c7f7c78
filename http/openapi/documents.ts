import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { entry } from '../../runtime/invariant.ts';
import type { BoundArea } from '../core/bind.ts';
import { acceptedEncoding } from '../core/encodings.ts';
import { Raw } from '../core/row.ts';
import { docsPage } from './docs.ts';
import { guidesOf } from './guides.ts';
import { llmsText } from './llms.ts';
import type { Page } from './markup.ts';
import { openApi } from './openapi.ts';

interface Served {
  readonly encodings: ReadonlyMap<string, Buffer>;
  readonly bare: Buffer;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Documents are created on the first request, because creating them would take half of the startup
 * time.
 */
export interface Documents {
  /** `accepts` is the caller's `Accept-Encoding` header. */
  openapi(accepts: string | undefined): Promise<Raw>;
  docs(accepts: string | undefined): Promise<Raw>;
  guide(slug: string, accepts: string | undefined): Promise<Raw>;
  search(words: string): Promise<Raw>;
  llms(accepts: string | undefined): Promise<Raw>;
}

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];
/** Compresses almost as well as the best quality, but takes only 5 % of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

const HTML = 'text/html; charset=utf-8';
const PICTURES = 'pictures/';
const headersOf = ({ policy }: Page) => ({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });

export function documentsOf(areas: readonly BoundArea[], address: () => string, now: () => number): Documents {
  const openapi = once(async () => served(JSON.stringify(await openApi(areas, address(), now())), 'application/json; charset=utf-8'));
  const docs = once(async () => {
    const page = await docsPage(areas, address(), now());
    return served(page.html, HTML, headersOf(page));
  });
  const guides = guidesOf();
  const kept = new Map<string, Promise<Served>>();
  /** Failed pages are not cached, so that unknown addresses do not fill the memory. */
  const guide = (slug: string): Promise<Served> => {
    const made = kept.get(slug) ?? guides.page(slug).then((page) => served(page.html, HTML, headersOf(page)));
    kept.set(slug, made);
    made.catch(() => kept.delete(slug));
    return made;
  };
  const llms = once(() => served(llmsText(areas, address()), 'text/plain; charset=utf-8'));
  return {
    openapi: async (accepts) => answered(await openapi(), accepts),
    docs: async (accepts) => answered(await docs(), accepts),
    guide: async (slug, accepts) =>
      slug.startsWith(PICTURES) ? new Raw(guides.picture(slug.slice(PICTURES.length)), 'image/png') : answered(await guide(slug), accepts),
    search: async (words) => {
      const page = await guides.search(words);
      return new Raw(page.html, HTML, 200, headersOf(page));
    },
    llms: async (accepts) => answered(await llms(), accepts),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  const forget = (cause: unknown): never => {
    made = undefined;
    throw cause;
  };
  return () => (made ??= make().catch(forget));
}

async function served(text: string, type: string, headers: Readonly<Record<string, string>> = {}): Promise<Served> {
  const bare = Buffer.from(text);
  const [br, gz] = await Promise.all([brotli(bare, BROTLI), gzipped(bare)]);
  const encodings = new Map([
    ['br', br],
    ['gzip', gz],
  ]);
  return { encodings, bare, type, headers };
}

function answered({ encodings, bare, type, headers }: Served, accepts: string | undefined): Raw {
  const chosen = acceptedEncoding([...encodings.keys()], accepts);
  const vary = { ...headers, vary: 'accept-encoding' };
  if (chosen === undefined) return new Raw(bare, type, 200, vary);
  return new Raw(entry(encodings, chosen), type, 200, { ...vary, 'content-encoding': chosen });
}
