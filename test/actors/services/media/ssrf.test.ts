import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createFetcher } from '../../../../actors/services/media/fetcher.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import type { Resolve } from '../../../../runtime/egress/connector.ts';
import { createEgress } from '../../../../runtime/egress/egress.ts';
import { FORBIDDEN } from '../../../runtime/egress/forbidden-addresses.ts';
import { aFileServer } from './file-server.ts';

const PUBLIC = [{ address: '93.184.215.14', family: 4 }];

/** How a download ended: the code of its refusal. */
function downloads(t: TestContext, resolve: Resolve, allow: readonly string[] = []): (url: string) => Promise<unknown> {
  const egress = createEgress({ allow, clock: systemClock, resolve });
  t.after(() => egress.close());
  const fetcher = createFetcher({ egress, clock: systemClock });
  return (url) => fetcher.fetch('t', url, async () => 'taken').catch((cause: { code?: string }) => cause.code);
}

const PLACES = ['127.0.0.1', '::1'].flatMap((host) => [80, 443].map((port) => ({ host, port })));

/** Counts every connection to the usual ports of this machine; null where this user may not listen there. */
async function traps(t: TestContext): Promise<{ readonly connections: number } | null> {
  const seen = { connections: 0 };
  for (const place of PLACES) {
    const server = createServer((socket) => {
      seen.connections += 1;
      socket.destroy();
    });
    t.after(() => server.close());
    const failed = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(true)).listen(place, () => resolve(false));
    });
    if (failed) return null;
  }
  return seen;
}

describe('a file from a user-supplied URL', () => {
  it(`is never fetched from ${FORBIDDEN.length} private and special addresses, either directly or by a redirect`, async (t) => {
    assert.ok(FORBIDDEN.length >= 150);
    const trap = await traps(t);
    if (!trap) t.diagnostic('nobody can listen on ports 80 and 443 here: only the refusals are checked');
    const server = await aFileServer(t, (path, response) => {
      const location = decodeURIComponent(path.slice(1)).replace(/[^ -~]+/g, encodeURIComponent);
      response.writeHead(302, { location }).end();
    });
    const download = downloads(t, async () => PUBLIC, [server.place]);
    const passed: string[] = [];
    for (const host of FORBIDDEN) {
      for (const url of [`https://${host}/x.png`, `http://${host}/x.png`]) {
        if ((await download(url)) !== 'URL_BLOCKED') passed.push(url);
        if ((await download(`${server.url}/${encodeURIComponent(url)}`)) !== 'URL_BLOCKED') passed.push(`${url} (redirect)`);
      }
    }
    assert.deepEqual(passed, []);
    assert.equal(server.asked.length, FORBIDDEN.length * 2);
    assert.equal(trap?.connections ?? 0, 0);
  });

  it('is not fetched from a host name that switches from a public to a private address', async (t) => {
    const trap = await traps(t);
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return asked % 2 === 1 ? PUBLIC : [{ address: '127.0.0.1', family: 4 }];
    };
    const download = downloads(t, rebinding);
    for (let n = 0; n < 5; n += 1) {
      asked = 0;
      assert.equal(await download(`https://rebind-${n}.example.com/x.png`), 'URL_BLOCKED');
      assert.equal(asked, 2);
    }
    assert.equal(trap?.connections ?? 0, 0);
  });
});
