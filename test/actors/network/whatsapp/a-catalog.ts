import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Certificate } from '../../../network-peer/media/certificate.ts';
import type { Scope } from '../../../support/stores.ts';

export const TOKEN = 'WA|EXAMPLE|0123456789abcdef';
export const IDS = { products: '11111111', collections: '22222222' };

/** What the web client's address for catalogues answers: a status and a body, or whatever `play` does to the answer. */
export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly play?: (answer: ServerResponse) => void;
}

/** A double of that address on loopback, which takes questions in the known form only. */
export interface ACatalog {
  readonly url: string;
  /** `host:port` */
  readonly place: string;
  /** What was asked: whose, of which kind, after which cursor, from which port. */
  readonly asked: readonly { readonly jid: string; readonly kind: string; readonly after: string | null; readonly port: number }[];
  /** Why a question was not in the known form. */
  readonly faults: readonly string[];
}

export async function aCatalog(
  scope: Scope,
  say: (jid: string, kind: string, after: string | null) => Said,
  certificate?: Certificate,
): Promise<ACatalog> {
  const asked: ACatalog['asked'][number][] = [];
  const faults: string[] = [];
  const handle = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    try {
      const question = questionIn(request, await json(request));
      asked.push({ ...question, port: request.socket.remotePort! });
      const { status = 200, headers = {}, body, play } = say(question.jid, question.kind, question.after);
      answer.writeHead(status, { 'content-type': 'application/json', ...headers });
      if (play) play(answer);
      else answer.end(typeof body === 'string' ? body : JSON.stringify(body));
    } catch (cause) {
      faults.push(String(cause));
      answer.writeHead(400).end();
    }
  };
  const server = certificate ? createHttps({ key: certificate.key, cert: certificate.certificate }, handle) : createHttp(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${certificate ? 'https' : 'http'}://${place}/graphql/catalog`, place, asked, faults };
}

interface Question {
  readonly doc_id: string;
  readonly variables: { readonly request: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> };
}

function questionIn({ method, url, headers }: IncomingMessage, body: unknown) {
  assert.deepEqual([method, url, headers['content-type']], ['POST', '/graphql/catalog', 'application/json']);
  assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined]);
  const { doc_id, variables, ...rest } = body as Question;
  assert.deepEqual(rest, { access_token: TOKEN, lang: 'en_US' });
  const kind = doc_id === IDS.products ? 'products' : 'collections';
  const name = kind === 'products' ? 'product_catalog' : 'collections';
  const { jid, biz_jid, after, ...given } = variables.request[name] ?? {};
  const limits =
    kind === 'products' ? { allow_shop_source: 'ALLOWSHOPSOURCE_TRUE', limit: '50' } : { collection_limit: '50', item_limit: '50' };
  assert.deepEqual([doc_id, variables], [IDS[kind], { request: { [name]: variables.request[name] } }]);
  assert.deepEqual(given, { ...limits, width: '100', height: '100' });
  const whose = (kind === 'products' ? jid : biz_jid) ?? '';
  assert.match(whose, /^\d+@s\.whatsapp\.net$/);
  assert.ok(after === null || typeof after === 'string');
  return { jid: whose, kind, after };
}

export const SCARF = {
  id: '24118375487892012',
  name: 'Batik scarf',
  description: 'Silk',
  price: '250000000',
  currency: 'IDR',
  retailer_id: 'SCARF-90',
  url: 'https://acme.example/scarf',
  is_hidden: 'ISHIDDEN_FALSE',
  product_availability: 'IN_STOCK',
  status_info: { status: 'APPROVED', can_appeal: 'false' },
  media: { images: [{ id: '1', request_image_url: 'https://files.example/s.jpg', original_image_url: 'https://files.example/l.jpg' }] },
};
export const SAMPLE = { id: '2', name: 'Sample', is_hidden: true };

export const productsSaid = (products: unknown, after?: string) => ({
  body: { data: { xwa_product_catalog_get_product_catalog: { product_catalog: { products, paging: { after } } } } },
});
export const collectionsSaid = (collections: unknown) => ({
  body: { data: { xwa_product_catalog_get_collections: { collections, paging: null } } },
});
