import { createHmac } from 'node:crypto';

export const SECRET = 'the signing key of a store in a bench';

/** The first webhooks of a process cost up to twice as much, because the code is not yet compiled. */
export const FULL = { warmUp: 20_000, answers: 10_000 };

/** Includes orders for the warm-up, so that each webhook reports a new one (see http/serve.ts). */
export const ORDERS = { quick: 500, full: FULL.warmUp + FULL.answers + 100 } as const;

const line = (nth: number) => ({
  id: nth,
  title: `Kaos ${nth}`,
  name: `Kaos ${nth} - Hitam / L`,
  quantity: 2,
  price: '95000.00',
  properties: [],
});

const body = (nth: number, createdAt: string): string =>
  JSON.stringify({
    id: 5_678_901_234_000 + nth,
    name: `#${nth}`,
    created_at: createdAt,
    updated_at: createdAt,
    phone: `+62812${1_000_000 + nth}`,
    customer: { first_name: 'Sari', last_name: 'Wulandari' },
    financial_status: 'pending',
    currency: 'IDR',
    total_price: '275000.00',
    line_items: Array.from({ length: 8 }, (_, item) => line(item)),
  });

export function hookRequests(paths: readonly string[], count: number, now: number): readonly string[] {
  const createdAt = new Date(now).toISOString();
  return Array.from({ length: count }, (_, nth) => {
    const text = body(nth, createdAt);
    const headers = {
      Host: '127.0.0.1',
      'Content-Type': 'application/json',
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Shop-Domain': 'toko.myshopify.com',
      'X-Shopify-Hmac-Sha256': createHmac('sha256', SECRET).update(text).digest('base64'),
      'Content-Length': String(text.length),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST ${paths[nth % paths.length]} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
  });
}
