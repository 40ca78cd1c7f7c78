import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { aServer, type Sample } from '../../support/http-sample.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = execFileSync('git', ['ls-files', 'docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'], { cwd: ROOT, encoding: 'utf8' });

describe('the guides at /docs/', () => {
  let web: Sample;
  before(async () => {
    web = await aServer();
  });
  after(() => web[Symbol.asyncDispose]());
  const linksOf = (text: string): readonly string[] => [...text.matchAll(/(?:href|src)="(\/docs\/[^"]*)"/g)].map(([, link = '']) => link);

  it('are served with headers that forbid framing and allow only their own images', async () => {
    const { status, headers } = await fetch(`${web.server.url}/docs`, { redirect: 'manual' });
    assert.deepEqual([status, headers.get('location')], [308, '/docs/']);
    const page = await web.get('/docs/');
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'.*img-src 'self'.*frame-ancestors 'none'$/);
    assert.match(page.text, /<h1[^>]*>Guides<\/h1>/);
  });

  it('link to every page, and only to pages, sections and images that exist', async () => {
    const seen = new Map<string, string>();
    const toSee = ['/docs/'];
    const broken: string[] = [];
    for (let path = toSee.shift(); path !== undefined; path = toSee.shift()) {
      if (path === '/docs/api' || seen.has(path)) continue;
      const { status, text } = await web.get(path);
      if (status !== 200) broken.push(path);
      seen.set(path, text);
      toSee.push(...linksOf(text).map((link) => link.split('#')[0] ?? ''));
    }
    for (const [path, text] of seen)
      for (const link of linksOf(text)) {
        const [to = '', id] = link.split('#');
        if (id !== undefined && !seen.get(to)?.includes(`id="${id}"`)) broken.push(`${path} → ${link}`);
      }
    assert.deepEqual(broken, []);
    const pages = FILES.split('\n').filter((file) => file.endsWith('.md')).length;
    assert.equal([...seen.keys()].filter((path) => !path.endsWith('.png')).length, pages);
  });

  it('can be searched for words anywhere on a page', async () => {
    const { text } = await web.get('/docs/?q=verify+signature+webhook');
    assert.match(text, /href="\/docs\/webhooks#check-the-signature"/);
    assert.match((await web.get('/docs/?q=nowhere-in-these-pages')).text, /No section contains all these words/);
    const hostile = (await web.get(`/docs/?q=${encodeURIComponent('"><script>alert(1)</script>')}`)).text;
    assert.doesNotMatch(hostile, /<script/);
    assert.equal((await web.get(`/docs/?q=${'x'.repeat(101)}`)).status, 400);
  });

  it('do not include files other than guides', async () => {
    for (const path of [
      '../package.json',
      '..%2fpackage.json',
      'pictures/..%2f..%2fpackage.json',
      'pictures/',
      'no-such-page',
      'README.md',
    ])
      assert.equal((await web.get(`/docs/${path}`)).status, 404, path);
    // fetch would resolve these paths itself, so they are sent unchanged.
    for (const path of [
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/pictures/%2e%2e/%2E%2E/%2e%2e/package.json',
      '/docs//etc/passwd',
    ])
      assert.equal(await statusOf(web.server.url, path), 404, path);
    const { headers, status } = await web.get('/docs/pictures/inbox-dark.png');
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/png']);
  });

  it("show the README's commands unchanged", async () => {
    const { text } = await web.get('/docs/readme');
    const [, command = ''] = /```sh\n(curl [^\n]+)/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
    assert.ok(command.length > 0 && text.includes(command.replaceAll('"', '&quot;').replaceAll("'", '&#39;')));
  });
});

function statusOf(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = get({ hostname, port, path, agent: false }, (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject);
  });
}
