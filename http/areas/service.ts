import Joi from 'joi';
import type { Registry } from 'prom-client';
import { type Area, Raw, rowsFor } from '../row.ts';

/** By name (`store`, `cluster`, `network`): resolves when that part works, rejects when it does not. */
export type Readiness = Readonly<Record<string, () => Promise<unknown>>>;

export interface ServiceWorld {
  readonly readiness: Readiness;
  /** No new work is taken any more. */
  isDraining(): boolean;
  readonly metrics: Registry;
  /** The documents are made once; the page's security policy belongs to its text. */
  openapi(): object;
  docs(): { readonly html: string; readonly policy: string };
}

const row = rowsFor<ServiceWorld>();

/** What machines and newcomers ask first; no credentials needed (api.md "Service"). */
export const service: Area<ServiceWorld> = {
  name: 'service',
  about: 'Is it alive, is it ready, what can it do.',
  rows: [
    row({
      id: 'home',
      method: 'GET',
      path: '/',
      summary: 'Where to look next',
      access: 'none',
      status: 200,
      returns: Joi.object({ name: Joi.string(), docs: Joi.string(), openapi: Joi.string(), health: Joi.string() }),
      run: () => ({ name: 'Business Messaging Gateway', docs: '/docs', openapi: '/openapi.json', health: '/health' }),
    }),
    row({
      id: 'health',
      method: 'GET',
      path: '/health',
      summary: 'Liveness: this process answers',
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
      summary: 'Readiness: what this node needs is there; 503 names what is not',
      access: 'none',
      probe: true,
      status: 200,
      returns: Joi.object({
        status: Joi.string().valid('ready', 'not_ready').required(),
        checks: Joi.object()
          .pattern(Joi.string(), Joi.string().valid('ok', 'failing', 'draining'))
          .required(),
      }),
      run: (world) => ready(world),
    }),
    row({
      id: 'metrics',
      method: 'GET',
      path: '/metrics',
      summary: 'Prometheus metrics',
      access: 'none',
      probe: true,
      status: 200,
      produces: ['text/plain'],
      returns: Joi.string(),
      run: async ({ metrics }) => new Raw(await metrics.metrics(), metrics.contentType),
    }),
    row({
      id: 'openapi',
      method: 'GET',
      path: '/openapi.json',
      summary: 'This interface as an OpenAPI 3.1 document',
      access: 'none',
      status: 200,
      returns: Joi.object(),
      run: ({ openapi }) => new Raw(JSON.stringify(openapi()), 'application/json; charset=utf-8'),
    }),
    row({
      id: 'docs',
      method: 'GET',
      path: '/docs',
      summary: 'This interface as a page to read',
      access: 'none',
      status: 200,
      produces: ['text/html'],
      returns: Joi.string(),
      run({ docs }) {
        const { html, policy } = docs();
        return new Raw(html, 'text/html; charset=utf-8', 200, { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
      },
    }),
  ],
};

async function ready({ readiness, isDraining }: ServiceWorld): Promise<Raw> {
  const names = Object.keys(readiness);
  const outcomes = await Promise.allSettled(names.map((name) => readiness[name]!()));
  const checks = Object.fromEntries(names.map((name, index) => [name, outcomes[index]!.status === 'fulfilled' ? 'ok' : 'failing']));
  if (isDraining()) checks['node'] = 'draining';
  const isReady = Object.values(checks).every((check) => check === 'ok');
  return new Raw(
    JSON.stringify({ status: isReady ? 'ready' : 'not_ready', checks }),
    'application/json; charset=utf-8',
    isReady ? 200 : 503,
  );
}
