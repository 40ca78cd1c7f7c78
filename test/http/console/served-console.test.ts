import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { buildBundle } from '../../../http/console/bundle.ts';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

const MOST_OF_A_PAGE = 120 * 1_024;
const MOST_OF_SIGN_IN = 45 * 1_024;

it('every console page keeps its script below the size limit', async (t) => {
  const { weights, files } = await buildBundle({ isDevelopment: false });
  for (const [module, bytes] of weights) t.diagnostic(`${module}: ${(bytes / 1_024).toFixed(1)} KiB of script, gzipped`);
  t.diagnostic(`style.css: ${((files.get('style.css')?.gzip.length ?? 0) / 1_024).toFixed(1)} KiB, gzipped`);
  const tooHeavy = [...weights].filter(([module, bytes]) => bytes > (module.includes('/sign-in/') ? MOST_OF_SIGN_IN : MOST_OF_A_PAGE));
  assert.deepEqual(tooHeavy, []);
  assert.ok(weights.size >= 4, [...weights.keys()].join());
  assert.ok(![...weights.keys()].some((module) => module.includes('design')), 'the design page is for development');
});

it('the same console sources get the same build id on every node', async () => {
  const [one, other] = await Promise.all([buildBundle({ isDevelopment: false }), buildBundle({ isDevelopment: false })]);
  assert.equal(one.id, other.id);
  const { id } = await buildBundle({ isDevelopment: true });
  assert.notEqual(id, one.id);
});

it('the console serves its pages and files, and returns 404 for other paths', async (t) => {
  const { node } = await aGateway(t, { kind: embedded });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${node.url}${path}`, { headers, redirect: 'manual' });

  const bare = await get('/console');
  assert.deepEqual([bare.status, bare.headers.get('location')], [307, '/console/']);

  const page = await get('/console/devices/01ABC?status=open&x=1');
  const html = await page.text();
  assert.equal(page.status, 200);
  const policy = page.headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "trusted-types 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(rule), rule);
  assert.doesNotMatch(html, /<script>|<style|\sstyle=|\son\w+=/);
  const build = page.headers.get('x-console-build') ?? '';
  assert.ok(html.includes(`data-build="${build}"`) && build !== '');

  const unknown = await get('/console/nothing/here');
  assert.deepEqual([unknown.status, await unknown.text()], [404, html]);
  assert.equal((await get('/console/design')).status, 404);

  const entry = await get('/console/app.js');
  const script = await entry.text();
  assert.equal(entry.headers.get('cache-control'), 'no-cache');
  assert.equal((await get('/console/app.js', { 'if-none-match': entry.headers.get('etag') ?? '' })).status, 304);
  const chunk = /assets\/[\w-]+\.js/.exec(script)?.[0] ?? '';
  assert.match((await get(`/console/${chunk}`)).headers.get('cache-control') ?? '', /immutable/);

  const gone = await get('/console/assets/of-another-build.js');
  assert.equal(gone.status, 404);
  assert.equal(gone.headers.get('x-console-build'), build);
  assert.match(gone.headers.get('content-type') ?? '', /^application\/json/);
  for (const encoding of ['br', 'gzip']) assert.equal(await encodingOf(`${node.url}/console/app.js`, encoding), encoding);
});

/** `fetch` would ask for encodings of its own. */
function encodingOf(url: string, accepted: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': accepted } }, (answer) => {
      answer.resume();
      resolve(answer.headers['content-encoding']);
    })
      .on('error', reject)
      .end();
  });
}
