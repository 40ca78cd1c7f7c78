import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get as httpGet } from 'node:http';
import { it } from 'node:test';
import { aServer, type Sample } from './sample.ts';

it('liveness needs nothing, readiness names what fails', async () => {
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

it('metrics count answers by row and status, and show the process', async () => {
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

/** A GET over a connection that stays open between calls. */
async function over(agent: Agent, web: Sample, path: string): Promise<{ status?: number | undefined; headers: Record<string, unknown> }> {
  const [response] = await once(httpGet(web.server.url + path, { agent }), 'response');
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, headers: response.headers };
}

it('a stop waits for what is in flight and refuses what comes meanwhile', async () => {
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

it('a stop does not wait longer than it was told', async () => {
  const { VirtualClock } = await import('../support/virtual-clock.ts');
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

it('a caller who leaves before the answer is not counted as a failure of ours', async () => {
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

it('an idle connection stays open for longer than load balancers keep theirs', async () => {
  await using web = await aServer();
  const { headers } = await fetch(`${web.server.url}/health`);
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
  assert.ok(Number(seconds) > 60, headers.get('keep-alive') ?? 'it does not say');
});
