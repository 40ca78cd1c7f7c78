import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { buildInPage } from '../../../../actors/domain/client-build.ts';
import { createBuildPage } from '../../../../actors/services/client-build/build-page.ts';
import { createEgress, egressTo } from '../../../../runtime/egress/egress.ts';
import { addressOf } from '../../../../runtime/listening.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';

/** A page as this listener serves it, the requests that came, and how long the reader was let wait. */
async function aPage(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${addressOf(server).port}/sw.js`;
  const clock = new VirtualClock();
  const page = createBuildPage(url, egressTo(url, clock), clock);
  t.after(async () => {
    await page.close();
    server.closeAllConnections();
    server.close();
  });
  return { page, clock, url };
}

describe('the page that contains the current build', () => {
  it('is requested the way a browser requests it', async (t) => {
    const { page } = await aPage(t, ({ headers, url }, answer) => {
      const isBrowser = headers['sec-fetch-site'] === 'none' && /Chrome/.test(headers['user-agent'] ?? '') && url === '/sw.js';
      answer.writeHead(isBrowser ? 200 : 400).end('{\\"client_revision\\":1043857761}');
    });
    assert.equal(buildInPage(await page.read()), 1_043_857_761);
  });

  it('is rejected if it fails to load, redirects, never ends or names no build', async (t) => {
    for (const status of [301, 400, 404, 503]) {
      const { page } = await aPage(
        t,
        (_request, answer) => void answer.writeHead(status, { location: '/other' }).end('"client_revision":5'),
      );
      await assert.rejects(page.read(), new RegExp(`${status}`));
    }
    const { page: empty } = await aPage(t, (_request, answer) => void answer.end());
    assert.equal(buildInPage(await empty.read()), null);
    const { page: endless } = await aPage(t, (_request, answer) => {
      const more = (): void => void answer.write('x'.repeat(65_536), () => answer.destroyed || setImmediate(more));
      more();
    });
    await assert.rejects(endless.read(), /too long/);
  });

  it('times out if it takes too long to arrive', async (t) => {
    const { page, clock } = await aPage(t, () => {});
    const reading = assert.rejects(page.read());
    await clock.advance(10_000);
    await reading;
  });

  it('is not loaded from a private address unless the operator allows it', async (t) => {
    let asked = 0;
    const { url } = await aPage(t, (_request, answer) => {
      asked += 1;
      answer.end();
    });
    const clock = new VirtualClock();
    const page = createBuildPage(url, createEgress({ allow: [], clock }), clock);
    await assert.rejects(page.read(), { code: 'EGRESS_BLOCKED' });
    await page.close();
    assert.equal(asked, 0);
  });
});
