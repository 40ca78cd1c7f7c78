import { isRecord, memberOf } from '../../../../runtime/shapes.ts';
import type { Collection, Product } from '../../business.ts';

export class UnreadableCatalog extends Error {
  override readonly name = 'UnreadableCatalog';
}

export interface Page<T> {
  readonly records: readonly T[];
  readonly after: string | null;
}

/** The network's prices are in thousandths of the currency's unit. */
const PARTS_OF_UNIT = 1_000;
const MAX = { id: 64, name: 150, description: 5_000, retailerId: 100, url: 256, image: 2_048, word: 64, cursor: 2_048, price: 1e15 };

/** Throws UnreadableCatalog, so that an unreadable response never looks like an empty catalog. */
export function productsIn(data: unknown): Page<Product> {
  const catalog = memberOf(memberOf(data, 'xwa_product_catalog_get_product_catalog'), 'product_catalog');
  return page(catalog, 'products', readProduct);
}

export function collectionsIn(data: unknown): Page<Collection> {
  return page(memberOf(data, 'xwa_product_catalog_get_collections'), 'collections', (value) => ({
    id: idOf(value),
    name: text(value, 'name', MAX.name) ?? unreadable('name'),
    products: list(value, 'products').map(readProduct),
  }));
}

function page<T>(from: unknown, name: string, read: (value: unknown) => T): Page<T> {
  const after = memberOf(memberOf(from, 'paging'), 'after') ?? '';
  if (typeof after !== 'string' || after.length > MAX.cursor) unreadable('paging');
  return { records: list(from, name).map(read), after: after || null };
}

function readProduct(value: unknown): Product {
  const url = text(value, 'url', MAX.url);
  const optional = {
    description: text(value, 'description', MAX.description),
    retailerId: text(value, 'retailer_id', MAX.retailerId),
    url: url && isWeb(url) ? url : undefined,
  };
  return {
    id: idOf(value),
    name: text(value, 'name', MAX.name) ?? unreadable('name'),
    ...Object.fromEntries(Object.entries(optional).filter(([, given]) => given !== undefined)),
    ...priceOf(value),
    isHidden: isHidden(memberOf(value, 'is_hidden')),
    imageUrls: imagesOf(value),
    availability: (text(value, 'product_availability', MAX.word) ?? 'unknown').toLowerCase().replaceAll('_', ' '),
    reviewStatus: reviewOf(memberOf(value, 'status_info')),
  };
}

function priceOf(value: unknown): Pick<Product, 'price' | 'currency'> {
  const [given, currency] = [memberOf(value, 'price') ?? null, text(value, 'currency', MAX.word)];
  if (given === null || currency === undefined) return {};
  const isNumber = typeof given === 'number' || (typeof given === 'string' && /^\d{1,16}$/.test(given));
  const parts = isNumber ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(parts) || parts < 0 || parts > MAX.price) unreadable('price');
  if (!/^[A-Z]{3}$/.test(currency)) unreadable('currency');
  return { price: parts / PARTS_OF_UNIT, currency };
}

const HIDDEN: ReadonlySet<unknown> = new Set([true, 'true', 'ISHIDDEN_TRUE']);
const SHOWN: ReadonlySet<unknown> = new Set([undefined, null, false, 'false', 'ISHIDDEN_FALSE']);

/** Throws UnreadableCatalog for an unknown value, because the product might be hidden. */
function isHidden(given: unknown): boolean {
  if (HIDDEN.has(given)) return true;
  return SHOWN.has(given) ? false : unreadable('is_hidden');
}

function imagesOf(value: unknown): Product['imageUrls'] {
  const media = memberOf(value, 'media') ?? null;
  const first = media === null || (memberOf(media, 'images') ?? null) === null ? undefined : list(media, 'images')[0];
  if (first === undefined) return {};
  const found = { requested: text(first, 'request_image_url', MAX.image), original: text(first, 'original_image_url', MAX.image) };
  return Object.fromEntries(Object.entries(found).flatMap(([name, url]) => (url && isWeb(url) ? [[name, url]] : [])));
}

function reviewOf(info: unknown): Product['reviewStatus'] {
  if ((info ?? null) === null) return {};
  const status = text(info, 'status', MAX.word);
  return status === undefined ? {} : { whatsapp: status };
}

function idOf(value: unknown): string {
  const id = memberOf(value, 'id');
  return typeof id === 'string' && id !== '' && id.length <= MAX.id ? id : unreadable('id');
}

function text(from: unknown, name: string, most: number): string | undefined {
  if (!isRecord(from)) unreadable(name);
  const given = from[name] ?? '';
  if (typeof given !== 'string') unreadable(name);
  return given.trim().slice(0, most).trim() || undefined;
}

function list(from: unknown, name: string): readonly unknown[] {
  const given = memberOf(from, name);
  return Array.isArray(given) ? given : unreadable(name);
}

const isWeb = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

function unreadable(field: string): never {
  throw new UnreadableCatalog(`${field} is not what it should be`);
}
