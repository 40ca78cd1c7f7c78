import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { PAGES } from '../../../http/console/pages.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';

const OWNER = '6281200000001';

after(closeBrowser);

/** Each page with the parameters of its path filled in; those of the operator ask for the secret. */
const pathsWith = (sessionId: string): readonly string[] => Object.values(PAGES).map(({ path }) => path.replace(':sessionId', sessionId));

whereChromiumIs('every page of the console', () => {
  it('can be heard, read and used by keyboard: both themes, both languages, narrow and wide', { timeout: 240_000 }, async (t) => {
    const node = await aServedConsole(t, embedded, { console_dev: true });
    const stranger = await aWindow(t, node.url);
    const owner = await aWindow(t, node.url);
    await signUpIn(owner, node, OWNER);
    await owner.open('/devices');
    await owner.by('new-device').click();
    await owner.by('link-qr').waitFor();
    const sessionId = new URL(owner.page.url()).pathname.split('/').at(-1) ?? '';
    const titles = new Map<string, string>();
    for (const [nth, path] of pathsWith(sessionId).entries()) {
      const window = path.startsWith('/sign-') ? stranger : owner;
      await window.open(path);
      assert.equal(await window.page.locator('main').count(), 1, path);
      assert.equal(await window.page.locator('h1').count(), 1, path);
      titles.set(path, await window.page.title());
      await (path.startsWith('/operator/') ? unlock(window, node.secrets.admin) : looksWell(window, path));
      // Each of the operator's pages in one look: the form before them is looked at once, and in both.
      if (path.startsWith('/operator/')) await looksWell(window, path, LOOKS.slice(nth % 2, (nth % 2) + 1));
    }
    assert.equal(new Set(titles.values()).size, titles.size, JSON.stringify([...titles]));
    assert.deepEqual([...stranger.faults, ...owner.faults], []);
  });

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

/** The secret is asked for again after each reload. */
async function unlock({ by, settled }: Window, secret: string): Promise<void> {
  await by('admin-secret').fill(secret);
  await by('admin-secret').press('Enter');
  await by('admin-secret').waitFor({ state: 'detached' });
  await settled();
}

const LOOKS = [
  ['en', 'light'],
  ['id', 'dark'],
] as const;

async function looksWell({ page, by }: Window, path: string, looks: readonly (typeof LOOKS)[number][] = LOOKS): Promise<void> {
  for (const [language, theme] of looks) {
    await by('language').selectOption(language);
    await by('theme').selectOption(theme);
    await page.locator(`html[lang="${language}"]`).waitFor();
    assert.deepEqual(await barriers(page), [], `${path} in ${language}, ${theme}`);
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false, `${path} in ${language} at 360`);
    await page.setViewportSize({ width: 1_280, height: 800 });
  }
}
