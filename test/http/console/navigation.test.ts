import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, barriers, closeBrowser, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';

const OWNER = '6281200000001';

after(closeBrowser);

whereChromiumIs('a page of the console', () => {
  it('has the focus at its beginning, asks to sign in, and is not found where there is none', async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by } = window;
    await page.goto(`${node.url}/console/devices?x=1`);
    await page.waitForURL(`${node.url}/console/sign-in?next=%2Fconsole%2Fdevices%3Fx%3D1`);
    await signUpIn(window, node, OWNER);
    await window.settled();
    await page.locator('nav').getByRole('link', { name: 'Devices' }).click();
    await page.waitForURL(`${node.url}/console/devices`);
    await page.waitForFunction(`document.activeElement.matches('main h1')`);
    await page.reload();
    await window.settled();
    assert.equal(new URL(page.url()).pathname, '/console/devices', 'still signed in');
    const answer = await page.goto(`${node.url}/console/design`);
    assert.equal(answer?.status(), 404);
    await by('not-found').waitFor();
    assert.deepEqual(window.faults, []);
  });

  it('says what failed, and tries again', async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by } = window;
    await signUpIn(window, node, OWNER);
    await page.route('**/v1/sessions', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: '{"error":"<img src=x onerror=alert(1)>","code":"UNAVAILABLE"}',
      }),
    );
    await page.goto(`${node.url}/console/devices`);
    const alert = page.locator('main').getByRole('alert');
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? '', /<img src=x onerror=alert\(1\)>/);
    assert.equal(await page.locator('main').getAttribute('aria-busy'), 'false');
    assert.deepEqual(await barriers(page), []);
    await page.unroute('**/v1/sessions');
    await by('retry').click();
    await page.getByText('No devices yet').waitFor();
    assert.deepEqual(window.faults, []);
  });
});
