import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, closeBrowser, whereChromiumIs } from '../../support/browser.ts';
import { aRestartableConsole, signUpIn } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { isLive } from './linked-business.ts';

const OWNER = '6281200000001';

after(closeBrowser);

whereChromiumIs('a gateway of another version', () => {
  it('is told of, and a page that could not be loaded is there once it can', { timeout: 180_000 }, async (t) => {
    const { line, sandbox, stop, start } = await aRestartableConsole(t, embedded);
    const window = await aWindow(t, line.url);
    const { page, by, faults } = window;
    await signUpIn(window, { sandbox }, OWNER);
    await isLive(window);
    const link = (name: string) => page.locator('nav').getByRole('link', { name, exact: true });
    const title = (name: string): Promise<void> => page.locator('main[aria-busy="false"] h1', { hasText: name }).waitFor();

    await page.route('**/assets/keys-page-*.js', (route) => route.abort());
    await link('API keys').click();
    await page.locator('main').getByRole('alert').waitFor();
    await page.unroute('**/assets/keys-page-*.js');
    await link('Devices').click();
    await title('Devices');
    await page.evaluate('window.isTheSame = true');
    await link('API keys').click();
    await title('API keys');

    const build = (): Promise<string | null> => page.locator('html').getAttribute('data-build');
    const [own, news] = [await build(), page.getByRole('status').filter({ hasText: 'new version' })];
    await stop();
    await by('banner').waitFor();
    await start();
    await isLive(window);
    assert.equal(await news.count(), 0, 'the same version is no news');
    await stop();
    await by('banner').waitFor();
    await start({ console_dev: true });
    await isLive(window);
    await news.waitFor();
    assert.equal(await page.evaluate('window.isTheSame'), true, 'nobody loads the page anew but who looks at it');
    await news.getByRole('button').click();
    await title('API keys');
    assert.notEqual(await build(), own);
    await isLive(window);
    assert.equal(await news.count(), 0);
    assert.deepEqual(faults, []);
  });
});
