import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { PAGES } from '../../../http/console/pages.ts';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { fillWithHostility } from './hostile-business.ts';
import { ANNA, linked, write } from './linked-business.ts';

after(closeBrowser);

const LOOKS = [
  ['en', 'light'],
  ['id', 'dark'],
] as const;

whereChromiumIs('every page of the console', () => {
  it('can be heard, read and used by keyboard in both themes and languages, narrow and wide, whatever people wrote', {
    timeout: 300_000,
  }, async (t) => {
    const node = await aServedConsole(t, embedded, { console_dev: true });
    const [stranger, owner] = [await aWindow(t, node.url), await aWindow(t, node.url)];
    const { call, device } = await linked(owner, present(node.sandbox, 'the sandbox'));
    await write(node, ANNA, `<img src=x onerror="document.title='owned'">\u202E${'W'.repeat(60_000)}`);
    const unlinked = (await call('POST', '/v1/sessions', {})).body.id;
    const campaign = await fillWithHostility(call, device, unlinked);
    const chat = await until('a chat', async () => (await call('GET', '/v1/inbox')).body.chats[0]?.chat_id);
    const filled = (path: string): string =>
      path.startsWith('/inbox/')
        ? `/inbox/${device}/${encodeURIComponent(chat)}`
        : path.replace(':sessionId', unlinked).replace(':id', campaign);
    const titles = new Map<string, string>();
    const faults: string[] = [];
    await stranger.open('/sign-in');
    await owner.open('/');
    for (const [nth, { path: pattern }] of Object.values(PAGES).entries()) {
      const path = filled(pattern);
      const window = path.startsWith('/sign-') ? stranger : owner;
      await visit(window, path);
      // The form before the operator's pages is looked at in both looks, each page behind it in one.
      const isBehindForm = path.startsWith('/operator/');
      if (isBehindForm) await unlock(window, node.secrets.admin);
      assert.equal(await window.page.locator('main').count(), 1, path);
      assert.equal(await window.page.locator('h1').count(), 1, path);
      titles.set(path, await window.page.title());
      faults.push(...(await faultsOf(window, path, isBehindForm ? LOOKS.slice(nth % 2, (nth % 2) + 1) : LOOKS)));
    }
    assert.equal(new Set(titles.values()).size, titles.size, JSON.stringify([...titles]));
    assert.ok(![...titles.values()].includes('owned'));
    assert.deepEqual([...faults, ...stranger.faults, ...owner.faults], []);
  });
});

/** Goes there as a link does: nothing is loaded anew. */
async function visit({ page, settled }: Window, path: string): Promise<void> {
  const former = await page.title();
  await page.evaluate(`(() => {
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(`/console${path}`)} });
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  if (new URL(page.url()).pathname !== `/console${path}`) await page.waitForURL(`**/console${path}`);
  await settled();
  await until(`${path} is shown`, async () => (await page.title()) !== former || path === '/' || path === '/sign-in');
  await settled();
}

/** The secret is asked for once in a window. */
async function unlock({ by, settled }: Window, secret: string): Promise<void> {
  if ((await by('admin-secret').count()) === 0) return;
  await by('admin-secret').fill(secret);
  await by('admin-secret').press('Enter');
  await by('admin-secret').waitFor({ state: 'detached' });
  await settled();
}

/** What is wrong with this page in these looks. */
async function faultsOf({ page, by }: Window, path: string, looks: readonly (typeof LOOKS)[number][]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [language, theme] of looks) {
    await by('language').selectOption(language);
    await by('theme').selectOption(theme);
    await page.locator(`html[lang="${language}"]`).waitFor();
    faults.push(...(await barriers(page)).map((barrier) => `${path} in ${language}, ${theme}: ${barrier}`));
    await page.setViewportSize({ width: 360, height: 640 });
    if (await isWiderThanWindow(page)) faults.push(`${path} in ${language} is wider than 360`);
    await page.setViewportSize({ width: 1_280, height: 800 });
  }
  return faults;
}
