import Joi from 'joi';
import type { MetricsPage } from '../../core/metrics-page.ts';
import { type Area, Raw, rowsFor } from '../../core/row.ts';
import type { Documents } from '../../openapi/documents.ts';

/** Health checks by name (`store`, `cluster`, `network`). A check rejects if that part does not work. */
export type Readiness = Readonly<Record<string, () => Promise<unknown>>>;

export interface ServiceServices {
  readonly readiness: Readiness;
  isDraining(): boolean;
  readonly documents: Documents;
}

const row = rowsFor<ServiceServices>();

export const service: Area<ServiceServices> = {
  name: 'service',
  about: 'Liveness, readiness and reference.',
  rows: [
    row({
      id: 'home',
      method: 'GET',
      path: '/',
      summary: 'Get the links',
      about: 'Get links to the reference. A browser is redirected to the console',
      access: 'none',
      status: 200,
      also: { 303: 'For a browser (`Accept: text/html`): the console' },
      headers: ['accept'],
      returns: Joi.object({ name: Joi.string(), docs: Joi.string(), openapi: Joi.string(), health: Joi.string(), console: Joi.string() }),
      run: (_services, { header }) => (/\btext\/html\b/.test(header('accept') ?? '') ? TO_CONSOLE : LINKS),
    }),
    row({
      id: 'health',
      method: 'GET',
      path: '/health',
      summary: 'Check liveness',
      about: 'Check that this process responds',
      access: 'none',
      probe: true,
      status: 200,
      returns: Joi.object({ status: Joi.string().valid('ok').required() }),
      run: () => ({ status: 'ok' }),
    }),
    row({
      id: 'ready',
      method: 'GET',
      path: '/ready',
      summary: 'Check readiness',
      about: 'Check whether everything that this node needs is available. A 503 names the failing dependency',
      access: 'none',
      probe: true,
      status: 200,
      also: { 503: 'The node is not ready. `checks` names the failing dependency' },
      returns: Joi.object({
        status: Joi.string().valid('ready', 'not_ready').required(),
        checks: Joi.object()
          .pattern(Joi.string(), Joi.string().valid('ok', 'failing', 'draining'))
          .required(),
      }),
      run: (services) => ready(services),
    }),
    row({
      id: 'openapi',
      method: 'GET',
      path: '/openapi.json',
      summary: 'Get the OpenAPI document',
      about: 'Get this API as an OpenAPI 3.1 document',
      access: 'none',
      status: 200,
      headers: ['accept-encoding'],
      returns: Joi.object(),
      run: ({ documents }, { header }) => documents.openapi(header('accept-encoding')),
    }),
    row({
      id: 'docs',
      method: 'GET',
      path: '/docs',
      summary: 'Redirect to the guides',
      about: 'Redirects to the guides at `/docs/`',
      access: 'none',
      status: 308,
      produces: ['text/plain'],
      returns: Joi.string().allow(''),
      run: () => TO_GUIDES,
    }),
    row({
      id: 'guide',
      method: 'GET',
      path: '/docs/{page*}',
      summary: 'Read a guide',
      about: 'Show a page of the guides, or search the guides with `q`. Without a page, show the table of contents',
      access: 'none',
      params: Joi.object<{ page?: string }>({
        page: Joi.string().allow('').max(100).example('troubleshooting').description('Path of the page'),
      }),
      query: Joi.object<{ q?: string }>({ q: Joi.string().allow('').max(100).description('Words to search for') }),
      status: 200,
      produces: ['text/html', 'image/png'],
      headers: ['accept-encoding'],
      returns: Joi.string(),
      refuses: ['NOT_FOUND'],
      run: ({ documents }, { params, query, header }) =>
        query.q === undefined ? documents.guide(params.page ?? '', header('accept-encoding')) : documents.search(query.q),
    }),
    row({
      id: 'reference',
      method: 'GET',
      path: '/docs/api',
      summary: 'Show this reference',
      about: 'Show this API as a web page',
      access: 'none',
      status: 200,
      produces: ['text/html'],
      headers: ['accept-encoding'],
      returns: Joi.string(),
      run: ({ documents }, { header }) => documents.docs(header('accept-encoding')),
    }),
    row({
      id: 'llms',
      method: 'GET',
      path: '/llms.txt',
      summary: 'Describe the API for LLMs',
      about: 'Get a short text for language models: a quick start, and one line for each operation',
      access: 'none',
      status: 200,
      produces: ['text/plain'],
      headers: ['accept-encoding'],
      returns: Joi.string(),
      run: ({ documents }, { header }) => documents.llms(header('accept-encoding')),
    }),
  ],
};

const LINKS = { name: 'Business Messaging Gateway', docs: '/docs', openapi: '/openapi.json', health: '/health', console: '/console/' };
const TO_GUIDES = new Raw('', 'text/plain; charset=utf-8', 308, { location: '/docs/' });
const TO_CONSOLE = new Raw('', 'text/plain; charset=utf-8', 303, { location: '/console/', vary: 'accept' });

const metricsRow = rowsFor<{ readonly metrics: MetricsPage }>();

export const metricsArea: Area<{ readonly metrics: MetricsPage }> = {
  name: 'metrics',
  about: 'Metrics for Prometheus, unless `METRICS_PORT` serves them on a separate port.',
  rows: [
    metricsRow({
      id: 'metrics',
      method: 'GET',
      path: '/metrics',
      summary: 'Get Prometheus metrics',
      about: 'Get metrics in Prometheus format',
      access: 'none',
      probe: true,
      status: 200,
      produces: ['text/plain'],
      returns: Joi.string(),
      run: async ({ metrics }) => new Raw(await metrics.text(), metrics.contentType),
    }),
  ],
};

const isFulfilled = (check: () => Promise<unknown>): Promise<boolean> =>
  check().then(
    () => true,
    () => false,
  );

async function ready({ readiness, isDraining }: ServiceServices): Promise<Raw> {
  const outcomes = Object.entries(readiness).map(async ([name, check]) => [name, await isFulfilled(check)] as const);
  const checks: Record<string, string> = Object.fromEntries(
    (await Promise.all(outcomes)).map(([name, ok]) => [name, ok ? 'ok' : 'failing']),
  );
  if (isDraining()) checks['node'] = 'draining';
  const isReady = Object.values(checks).every((check) => check === 'ok');
  return new Raw(
    JSON.stringify({ status: isReady ? 'ready' : 'not_ready', checks }),
    'application/json; charset=utf-8',
    isReady ? 200 : 503,
  );
}
