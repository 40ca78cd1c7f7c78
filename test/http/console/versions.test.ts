import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Page, Response } from 'playwright-core';
import { aWindow, closeBrowser, goBy, whereChromiumIs } from '../../support/browser.ts';
import { aRestartableConsole, signUpIn } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { isLive } from './linked-business.ts';

const OWNER = '6281200000001';

after(closeBrowser);

/** The page has asked which build is served. To be called before it does. */
const buildAsked = (page: Page): Promise<Response> =>
  page.waitForResponse((response) => response.url().endsWith('/boot.js') && response.request().method() === 'HEAD');

whereChromiumIs('a new version of the gateway', () => {
  it('is announced in the console, and is loaded only when the user asks for it', { timeout: 600_000 }, async (t) => {
    const { line, sandbox, stop, start } = await aRestartableConsole(t, embedded);
    const window = await aWindow(t, line.url);
    const { page, by, faults } = window;
    const news = page.getByRole('status').filter({ hasText: 'new version' });
    // The first that it is told of is another one: a gateway that is changed for some minutes.
    await page.route('**/boot.js', (route) =>
      route.request().method() === 'HEAD' ? route.fulfill({ headers: { 'x-console-build': 'another' } }) : route.continue(),
    );
    await signUpIn(window, { sandbox }, OWNER);
    await isLive(window);
    await news.waitFor();
    await page.unroute('**/boot.js');
    const link = (name: string) => page.locator('nav').getByRole('link', { name, exact: true });
    const title = (name: string): Promise<void> => page.locator('main[aria-busy="false"] h1', { hasText: name }).waitFor();

    await page.route('**/assets/keys-page-*.js', (route) => route.abort());
    await goBy(page, 'API keys', 'Developers');
    await page.locator('main').getByRole('alert').waitFor();
    await page.unroute('**/assets/keys-page-*.js');
    await link('Devices').click();
    await title('Devices');
    await page.evaluate('window.isTheSame = true');
    await goBy(page, 'API keys', 'Developers');
    await title('API keys');

    const build = (): Promise<string | null> => page.locator('html').getAttribute('data-build');
    const own = await build();
    await stop();
    await by('banner').waitFor();
    const asked = buildAsked(page);
    await start();
    await asked;
    await isLive(window);
    // The same version is no news.
    await news.waitFor({ state: 'detached' });
    await stop();
    await by('banner').waitFor();
    await start({ console_dev: true });
    await isLive(window);
    await news.waitFor();
    assert.equal(await page.evaluate('window.isTheSame'), true, 'nobody loads the page anew but who looks at it');
    const askedAnew = buildAsked(page);
    await news.getByRole('button').click();
    await title('API keys');
    assert.notEqual(await build(), own);
    await askedAnew;
    await isLive(window);
    assert.equal(await news.count(), 0);
    assert.deepEqual(faults, []);
  });
});
