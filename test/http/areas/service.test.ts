import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { metricsIn } from '../../../http/core/metrics.ts';
import { documentsOf } from '../../../http/openapi/documents.ts';
import { inTurns } from '../../../http/openapi/in-turns.ts';
import { aServer, type Sample } from '../../support/http-sample.ts';

it('the /health endpoint always returns 200, and the /ready endpoint names failing checks', async () => {
  let isUp = true;
  const store = async () => {
    if (!isUp) throw new Error('gone');
  };
  await using web = await aServer({ readiness: { store, network: async () => {} } });
  assert.deepEqual((await web.get('/health')).body, { status: 'ok' });
  assert.deepEqual((await web.get('/ready')).body, { status: 'ready', checks: { store: 'ok', network: 'ok' } });
  isUp = false;
  const answer = await web.get('/ready');
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.body.checks, { store: 'failing', network: 'ok' });
  assert.equal((await web.get('/health')).status, 200);
});

it('the metrics count responses by operation and status, and include process metrics', async () => {
  await using web = await aServer();
  await web.get('/open');
  await web.get('/open');
  await web.get('/nowhere');
  const { text } = await web.get('/metrics');
  assert.match(text, /http_requests_total\{row="open",status="200"\} 2/);
  assert.match(text, /http_requests_total\{row="none",status="404"\} 1/);
  assert.match(text, /http_request_duration_seconds_count\{row="open"\} 2/);
  assert.match(text, /nodejs_eventloop_lag_p99_seconds/);
});

it('all servers of a process report the same process metrics', () => {
  const [one, other] = [new Registry(), new Registry()];
  for (const registry of [one, other]) metricsIn(registry, []);
  for (const name of ['nodejs_gc_duration_seconds', 'nodejs_eventloop_lag_seconds'])
    assert.equal(one.getSingleMetric(name) ?? assert.fail(name), other.getSingleMetric(name));
  assert.notEqual(one.getSingleMetric('http_requests_total'), other.getSingleMetric('http_requests_total'));
});

/** A GET over a connection that stays open between calls. */
async function over(agent: Agent, web: Sample, path: string): Promise<{ status?: number | undefined; headers: Record<string, unknown> }> {
  const [response] = await once(httpGet(web.server.url + path, { agent }), 'response');
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, headers: response.headers };
}

it('a stopping server waits for running requests and rejects new ones', async () => {
  const web = await aServer({ readiness: {} });
  const agent = new Agent({ keepAlive: true });
  await over(agent, web, '/open');
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  web.inside(() => {
    enter();
    return released;
  });
  const slow = web.get('/open');
  await entered;
  let isStopped = false;
  const stopped = web.server.stop({ timeoutMs: 10_000 }).then(() => {
    isStopped = true;
  });

  const refused = await over(agent, web, '/open');
  assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers['connection']], [503, '1', 'close']);
  assert.equal((await over(agent, web, '/health')).status, 200);
  assert.equal((await over(agent, web, '/ready')).status, 503);
  assert.equal(isStopped, false);

  release({ late: true });
  const answer = await slow;
  assert.deepEqual([answer.status, answer.body, answer.headers.get('connection')], [200, { late: true }, 'close']);
  await stopped;
  await assert.rejects(web.get('/health'));
  agent.destroy();
});

it('a stopping server exits at its time limit even if a request is still running', async () => {
  const { VirtualClock } = await import('../../../runtime/testing/virtual-clock.ts');
  const clock = new VirtualClock();
  const web = await aServer({ clock });
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  web.inside(() => {
    enter();
    return new Promise(() => {});
  });
  const slow = assert.rejects(web.get('/open'));
  await entered;
  const stopped = web.server.stop({ timeoutMs: 5_000 });
  await clock.advance(5_000);
  await stopped;
  await slow;
});

it('an aborted call does not count as a server failure', async () => {
  await using web = await aServer();
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  web.inside(() => {
    enter();
    return released;
  });
  const leaving = new AbortController();
  const left = assert.rejects(fetch(`${web.server.url}/open`, { signal: leaving.signal, headers: { 'x-request-id': 'left' } }));
  await entered;
  leaving.abort();
  await left;
  while (!web.lines.some(({ req }) => req === 'left')) await new Promise(setImmediate);
  assert.deepEqual(
    web.lines.filter(({ req }) => req === 'left').map(({ status, level }) => [status, level]),
    [[499, 30]],
  );
  release({});
});

it('idle connections stay open longer than load balancers keep them open', async () => {
  await using web = await aServer();
  const { headers } = await fetch(`${web.server.url}/health`);
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
  assert.ok(Number(seconds) > 60, headers.get('keep-alive') ?? 'it does not say');
});

/** The bytes of an answer as they came over the wire. */
async function wire(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status?: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }> {
  const [response] = await once(httpGet(url, { headers }), 'response');
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

it('the metrics are served only on their own port if one is configured', async () => {
  await using web = await aServer({ metricsPort: 0 });
  await web.get('/open');
  const { metricsUrl } = web.server;
  const { bytes, status } = await wire(`${metricsUrl}/metrics`);
  assert.equal(status, 200);
  assert.match(bytes.toString(), /http_requests_total\{row="open",status="200"\} 1/);
  for (const path of ['/', '/open', '/openapi.json', '/metrics/']) assert.equal((await wire(metricsUrl + path)).status, 404, path);
  assert.equal((await web.get('/metrics')).status, 404);
});

it('an alternative spelling of a path is treated as an unknown path', async () => {
  await using web = await aServer();
  assert.equal((await web.get('/metrics')).status, 200);
  for (const path of ['/%6d%65trics', '/metric%73', '/op%65n', '//metrics', '/./metrics%20'])
    assert.equal((await wire(web.server.url + path)).status, 404, path);
});

it('the documentation pages are compressed with brotli or gzip', async () => {
  await using web = await aServer();
  for (const [path, type] of [
    ['/openapi.json', /^application\/json/],
    ['/docs/api', /^text\/html/],
  ] as const) {
    const bare = await wire(web.server.url + path, { 'accept-encoding': 'identity' });
    assert.equal(bare.headers['content-encoding'], undefined);
    assert.match(bare.headers['content-type'] ?? '', type);
    const squeezed = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const name of ['br', 'gzip'] as const) {
      const answer = await wire(web.server.url + path, { 'accept-encoding': `deflate, ${name};q=0.5` });
      assert.deepEqual([answer.headers['content-encoding'], answer.headers['vary']], [name, 'accept-encoding']);
      assert.ok(squeezed[name](answer.bytes).equals(bare.bytes));
    }
    assert.equal((await wire(web.server.url + path, { 'accept-encoding': 'br;q=0, gzip' })).headers['content-encoding'], 'gzip');
  }
});

it('the static documents are built once, when they are first requested', async () => {
  let made = 0;
  const address = (): string => `http://x/${++made}`;
  const documents = documentsOf([], address, () => 0);
  await Promise.all([documents.openapi(undefined), documents.docs('gzip')]);
  assert.equal(made, 2);
  await Promise.all([documents.openapi('br'), documents.docs(undefined), documents.llms(undefined)]);
  assert.equal(made, 3);
});

it('the server continues with other work while it serializes a long list', async () => {
  const ITEM_MS = 4;
  const items = Array.from({ length: 50 }, (_, nth) => nth);
  let turns = 0;
  let isMade = false;
  const others = (async () => {
    for (; !isMade; turns += 1) await nextTurn();
  })();
  const made = await inTurns(items, (one) => {
    for (const until = performance.now() + ITEM_MS; performance.now() < until; );
    return one;
  });
  isMade = true;
  await others;
  assert.deepEqual(made, items);
  assert.ok(turns >= items.length / 5 && turns <= 2 * items.length, `${turns} turns`);
});
