import type { Logger } from 'pino';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../../../runtime/clock.ts';
import type { Egress } from '../../../../runtime/egress/egress.ts';
import { codeOf, Refusal } from '../../../../runtime/errors.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { expectModest, type JsonLimits } from '../../../../runtime/json-scan.ts';
import { memberOf } from '../../../../runtime/shapes.ts';
import type { Collection, Product } from '../../business.ts';
import { networkRefusal } from '../../network-refusal.ts';
import { collectionsIn, type Page, productsIn, UnreadableCatalog } from './read-catalog.ts';

export interface CatalogSettings {
  readonly url: string;
  readonly token: string;
  readonly ids: { readonly products: string; readonly collections: string };
}

export interface CatalogOptions extends CatalogSettings {
  readonly egress: Pick<Egress, 'dispatcher' | 'close'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface CatalogOrder {
  readonly jid: string;
  readonly account: string;
  readonly through: Dispatcher | null;
}

/** Reads up to 500 records of a catalog over HTTP rather than over the device's connection. */
export interface CatalogClient {
  products(order: CatalogOrder): Promise<readonly Product[]>;
  collections(order: CatalogOrder): Promise<readonly Collection[]>;
  close(): Promise<void>;
}

const WITHIN_MS = 15_000;
const MAX_BYTES = 1_000_000;
const PER_PAGE = 50;
const MAX_PAGES = 10;
const MAX_CONCURRENT = 32;
const SHARE = 2;
const MAX_WAITING = 4;
const NO_SUCH_CATALOG = 2_498_052;
const NO_SUCH_TOKEN = 190;

const UNREADABLE = {
  en: 'the gateway could not read the response from the network',
  id: 'gateway tidak dapat membaca respons dari jaringan',
};
const NO_ACCESS = {
  en: 'the network refused the catalog access that the operator set up',
  id: 'jaringan menolak akses katalog yang disiapkan operator',
};

export function createCatalogClient({ url, token, ids, egress, clock, log }: CatalogOptions): CatalogClient {
  const full = (): Error => new Refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ slots: MAX_CONCURRENT, share: SHARE, waiting: MAX_WAITING, full });

  async function asked(id: string, variables: object, dispatcher: Dispatcher, signal: AbortSignal): Promise<unknown> {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: JSON.stringify({ access_token: token, doc_id: id, lang: 'en_US', variables: { request: variables } }),
      dispatcher,
      signal,
    });
    try {
      if (answer.statusCode !== 200) throw refused(answer.statusCode);
      return dataIn(await bounded(answer));
    } finally {
      answer.body.on('error', () => {}).destroy();
    }
  }

  async function inTime<T>({ account, through }: CatalogOrder, id: string, ask: (after: string | null) => object, read: Read<T>) {
    const abort = new AbortController();
    const cancel = clock.after(WITHIN_MS, () => abort.abort());
    try {
      return await slots.run(account, () =>
        all(async (after) => read(await asked(id, ask(after), through ?? egress.dispatcher, abort.signal))),
      );
    } catch (cause) {
      const refusal = refusalOf(cause);
      if (refusal.code !== 'NOT_FOUND')
        log.warn({ event: 'network.catalog_unread', code: refusal.code, reason: nameOf(cause) }, 'a catalogue could not be read');
      throw refusal;
    } finally {
      cancel();
    }
  }

  const size = { width: '100', height: '100' };
  const some = String(PER_PAGE);
  return {
    products: (order) => {
      const given = { jid: order.jid, allow_shop_source: 'ALLOWSHOPSOURCE_TRUE', limit: some, ...size };
      return inTime(order, ids.products, (after) => ({ product_catalog: { ...given, after } }), productsIn);
    },
    collections: (order) => {
      const given = { biz_jid: order.jid, collection_limit: some, item_limit: some, ...size };
      return inTime(order, ids.collections, (after) => ({ collections: { ...given, after } }), collectionsIn);
    },
    close: () => egress.close(),
  };
}

type Read<T> = (data: unknown) => Page<T>;

async function all<T>(pageFrom: (after: string | null) => Promise<Page<T>>): Promise<readonly T[]> {
  const records: T[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: Page<T> = await pageFrom(after);
    records.push(...page.records.slice(0, PER_PAGE));
    if (page.after === null || page.after === after) break;
    after = page.after;
  }
  return records;
}

interface Answer extends Pick<Dispatcher.ResponseData, 'headers'> {
  readonly body: AsyncIterable<Uint8Array>;
}

const LIMITS: JsonLimits = { depth: 64, keys: 40_000, itemKeys: 40_000, values: 40_000, itemBytes: MAX_BYTES };

async function bounded({ headers, body }: Answer): Promise<unknown> {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new UnreadableCatalog('it is compressed');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new UnreadableCatalog('it is too long');
    chunks.push(chunk);
  }
  try {
    const text = Buffer.concat(chunks).toString('utf8');
    expectModest(text, LIMITS);
    return JSON.parse(text);
  } catch {
    // The parser's error message is dropped, because it would quote part of the response.
    throw new UnreadableCatalog('it is not JSON');
  }
}

function dataIn(answer: unknown): unknown {
  const errors = memberOf(answer, 'errors');
  const error = memberOf(answer, 'error') ?? (Array.isArray(errors) ? errors[0] : undefined);
  if (error === undefined) return memberOf(answer, 'data');
  const number = memberOf(error, 'code') ?? memberOf(memberOf(error, 'extensions'), 'code');
  throw refused(typeof number === 'number' ? number : 0);
}

/** Never returns VALIDATION_FAILED, because callers cannot change the request. */
function refused(number: number): Refusal {
  if (number === NO_SUCH_CATALOG) return networkRefusal(404);
  if (number === 401 || number === 403 || number === NO_SUCH_TOKEN) return networkRefusal(403, NO_ACCESS);
  if (number === 429) return networkRefusal(429);
  const reason = { en: `the network refused the request (${number})`, id: `jaringan menolak permintaan ini (${number})` };
  return new Refusal('CONFLICT', { reason, network: number });
}

function refusalOf(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  return cause instanceof UnreadableCatalog ? new Refusal('CONFLICT', { reason: UNREADABLE }) : new Refusal('DEVICE_TIMEOUT');
}

/** Describes a failure without quoting the request, because the request contains the token. */
function nameOf(cause: unknown): string {
  if (cause instanceof Refusal) return `refused (${cause.details['network'] ?? cause.code})`;
  if (cause instanceof UnreadableCatalog) return cause.message;
  return String(codeOf(cause) ?? (cause instanceof Error ? cause.name : 'unknown'));
}
