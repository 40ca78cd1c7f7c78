import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type Audience, PAGES } from '../../../http/console/pages.ts';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, openAccount, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { isNight } from '../../support/night.ts';
import { embedded, type Scope } from '../../support/stores.ts';
import { fillWithHostility } from './hostile-business.ts';
import { ANNA, linked, OWNER, write } from './linked-business.ts';

/** 1280 wide, twice as large. */
const ZOOMED = { width: 640, height: 400 };

const LOOKS = [
  ['en', 'light'],
  ['id', 'dark'],
] as const;

/** Those on which most of the work is done, as `heard.txt` has them; `node --test --test-update-snapshots` writes it. */
const HEARD = [
  ...['/sign-in', '/sign-up', '/', '/devices', '/inbox', '/contacts', '/segments', '/campaigns', '/campaigns/new', '/later'],
  ...['/templates', '/auto-replies', '/ai', '/stores', '/webhooks', '/keys', '/agents'],
];

const FEW_FAILED = 4;

const TIMEOUT = { timeout: 600_000 };

whereChromiumIs('every page of the console', () => {
  const endings: (() => unknown)[] = [];
  let world: World;
  before(async () => {
    world = await aWorld({ after: (end) => void endings.push(end) });
  }, TIMEOUT);
  after(async () => {
    for (const end of endings.toReversed()) await end();
    await closeBrowser();
  });

  it('matches its recorded accessibility tree', TIMEOUT, async (t) => {
    const texts: string[] = [];
    for (const path of HEARD) {
      const { page } = await visited(world, path);
      texts.push(`${path}:`, ...(await page.locator('main').ariaSnapshot()).split('\n').map((line) => `  ${line}`));
    }
    t.assert.fileSnapshot(anyRun(`${texts.join('\n')}\n`), join(import.meta.dirname, 'heard.txt'), { serializers: [String] });
  });

  it('is accessible and can be used by keyboard in every theme, language and width', TIMEOUT, async () => {
    const filled = await fill(world);
    const titles = new Map<string, string>();
    const faults: string[] = [];
    for (const [nth, path] of filled.entries()) {
      const window = await visited(world, path);
      // By day each page is looked at in one look, by turns; at night in both, but for the operator's pages behind their form.
      const isBehindForm = path.startsWith('/operator/');
      const isInAll = isNight && !isBehindForm;
      if (isBehindForm) await unlock(window, world.node.secrets.admin);
      assert.equal(await window.page.locator('main').count(), 1, path);
      assert.equal(await window.page.locator('h1').count(), 1, path);
      titles.set(path, await window.page.title());
      faults.push(...(await faultsOf(window, path, isInAll ? LOOKS : LOOKS.slice(nth % 2, (nth % 2) + 1))));
    }
    assert.equal(new Set(titles.values()).size, titles.size, JSON.stringify([...titles]));
    assert.ok(![...titles.values()].includes('owned'));
    assert.deepEqual([...faults, ...world.stranger.faults, ...world.owner.faults], []);

    for (const window of [world.stranger, world.owner]) {
      await visit(window, PAGES.design.path);
      await window.page.getByLabel('All pages in longer words').check();
      await window.page.setViewportSize(PHONE);
    }
    await visit(world.owner, '/devices');
    assert.match(await world.owner.page.title(), /^Deeviicees/);
    const tooWide: string[] = [];
    for (const path of filled) {
      const { page } = await visited(world, path);
      if (await isWiderThanWindow(page)) tooWide.push(path);
    }
    assert.deepEqual(tooWide, [], 'in longer words');
  });

  it('is accessible to screen readers even if it is empty or fails to load', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by } = window;
    await signUpIn(window, node, OWNER);
    const paths = Object.values<{ path: string; for: Audience }>(PAGES)
      .filter((one) => (one.for === 'owner' || one.for === 'signed-in') && !one.path.includes(':'))
      .map(({ path }) => path);
    const wrong: string[] = [];
    const look = async (path: string, state: string): Promise<void> => {
      await visit(window, path);
      for (const barrier of await barriers(page)) wrong.push(`${path}, ${state}: ${barrier}`);
      await page.setViewportSize(ZOOMED);
      if (await isWiderThanWindow(page)) wrong.push(`${path}, ${state}, is wider than a window at 200 %`);
      await page.setViewportSize({ width: 1_280, height: 800 });
    };
    for (const path of [...paths, '/']) await look(path, 'empty');
    await openAccount(window);
    await by('language').selectOption('id');
    await by('theme').selectOption('dark');
    const down = { status: 503, contentType: 'application/json', body: '{"error":"Down","code":"UNAVAILABLE"}' };
    await page.route(/\/v1\/(?!me$|events)/, (route) => route.fulfill(down));
    // Most pages say it with the same words: by day every fourth of them is looked at whole.
    for (const [nth, path] of [...paths.slice(1), '/'].entries()) {
      if (isNight || nth % FEW_FAILED === 0) await look(path, 'failed');
      else await visit(window, path);
      if ((await page.locator('main [role="alert"] [data-testid="retry"]').count()) === 0)
        wrong.push(`${path} does not say that it failed`);
    }
    assert.deepEqual([...wrong, ...window.faults], []);
  });
});

/** Without what differs from run to run: identifiers, times, and the greeting of the time of day. */
const anyRun = (text: string): string =>
  text
    .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ID')
    .replaceAll(/since .*?, \d\d:\d\d/g, 'since then')
    .replaceAll(/Good (morning|afternoon|evening)/g, 'Good day')
    .replaceAll(/\w+day, \w+ \d+, \d\d:\d\d in/g, 'now in');

type World = Awaited<ReturnType<typeof aWorld>>;

/** A business with one device, a window of its owner, and one of somebody who did not sign in. */
async function aWorld(scope: Scope) {
  const node = await aServedConsole(scope, embedded, { console_dev: true });
  const [stranger, owner] = [await aWindow(scope, node.url), await aWindow(scope, node.url)];
  const { call, device } = await linked(owner, present(node.sandbox, 'the sandbox'));
  await stranger.open('/sign-in');
  await owner.open('/');
  return { node, stranger, owner, call, device };
}

/** Whoever means harm writes wherever they can. Gives the paths of all pages. */
async function fill({ node, call, device }: World): Promise<readonly string[]> {
  await write(node, ANNA, `<img src=x onerror="document.title='owned'">\u202E${'W'.repeat(60_000)}`);
  const unlinked = (await call('POST', '/v1/sessions', {})).body.id;
  const campaign = await fillWithHostility(call, device, unlinked);
  const chat = await until('a chat', async () => (await call('GET', '/v1/inbox')).body.chats[0]?.chat_id);
  const [contact] = (await call('GET', '/v1/contacts')).body.contacts;
  return Object.values(PAGES).map(({ path }) =>
    path.startsWith('/inbox/')
      ? `/inbox/${device}/${encodeURIComponent(chat)}`
      : path.replace(':sessionId', unlinked).replace(':id', campaign).replace(':contactId', contact.id),
  );
}

/** The window of whom the page is for, with this page. */
async function visited({ stranger, owner }: World, path: string): Promise<Window> {
  const window = path.startsWith('/sign-') ? stranger : owner;
  await visit(window, path);
  return window;
}

const PHONE = { width: 360, height: 640 };

/** Goes there as a link does: nothing is loaded anew. */
async function visit({ page, settled }: Window, path: string): Promise<void> {
  if (new URL(page.url()).pathname === `/console${path}`) return settled();
  const former = await page.title();
  await page.evaluate(`(() => {
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(`/console${path}`)} });
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  await page.waitForURL(`**/console${path}`);
  await settled();
  await until(`${path} is shown`, async () => (await page.title()) !== former);
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
    await openAccount({ by });
    await by('language').selectOption(language);
    await by('theme').selectOption(theme);
    await page.locator(`html[lang="${language}"]`).waitFor();
    faults.push(...(await barriers(page)).map((barrier) => `${path} in ${language}, ${theme}: ${barrier}`));
    await page.setViewportSize(PHONE);
    if (await isWiderThanWindow(page)) faults.push(`${path} in ${language} is wider than 360`);
    await page.setViewportSize({ width: 1_280, height: 800 });
  }
  return faults;
}
