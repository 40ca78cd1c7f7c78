import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { present } from '../../../runtime/invariant.ts';
import type { Node } from '../../../scripts/wiring/node.ts';
import { aWindow, closeBrowser, openAccount, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, until } from '../../support/console.ts';
import { codeOn } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, isLive, linked, OWNER, write } from './linked-business.ts';

const TABS = 20;
const BUDI = '6281100000008';

after(closeBrowser);

/** The tabs of this window's browser, and which of them has opened the stream last. */
function tabsOf({ page }: Window) {
  const context = page.context();
  let leader: Page = page;
  let streams = 0;
  context.on('request', (request: Request) => {
    if (!request.url().includes('/v1/events?ticket=')) return;
    leader = request.frame().page();
    streams += 1;
  });
  return {
    leader: () => leader,
    streams: () => streams,
    async another(url: string): Promise<Page> {
      const tab = await context.newPage();
      await tab.goto(url);
      return tab;
    },
  };
}

const shows = (page: Page, text: string): Promise<void> => page.locator('[data-testid="chat-row"]', { hasText: text }).waitFor();

whereChromiumIs('several tabs of one browser', () => {
  it('share one stream, and replace a closed or crashed leader tab without missing events', {
    timeout: 600_000,
  }, async (t) => {
    const { node, window } = await aLinkedBusiness(t, embedded);
    const tabs = tabsOf(window);
    const oneStream = (): Promise<unknown> => until('there is one stream', () => node.live.size === 1);
    await window.open('/inbox');
    await isLive(window);
    const inbox = await tabs.another(`${node.url}/console/inbox`);
    const others = await Promise.all(Array.from({ length: TABS - 2 }, () => tabs.another(`${node.url}/console/keys`)));
    for (const page of [inbox, ...others]) await isLive({ page });
    const before = tabs.streams();
    await write(node, ANNA, 'To all of you');
    for (const page of [window.page, inbox]) await shows(page, 'To all of you');
    assert.deepEqual([tabs.streams() - before, node.live.size], [0, 1]);

    assert.equal(tabs.leader(), window.page);
    await window.page.close();
    await write(node, ANNA, 'While nobody leads');
    await shows(inbox, 'While nobody leads');
    await oneStream();

    // Chromium may give several tabs one process: all of them are gone then.
    const crashed = new Set<Page>();
    for (const page of [inbox, ...others]) page.on('crash', (gone) => crashed.add(gone));
    const rest = inbox === tabs.leader() ? await tabs.another(`${node.url}/console/inbox`) : inbox;
    const leader = tabs.leader();
    // It never answers.
    void (await leader.context().newCDPSession(leader)).send('Page.crash').catch(() => {});
    await until('it has crashed', () => crashed.has(leader));
    await write(node, ANNA, 'After the crash');
    assert.ok(!crashed.has(rest), 'the inbox is still there');
    await shows(rest, 'After the crash');
    await isLive({ page: rest });
    await oneStream();
    assert.deepEqual(window.faults, []);
  });

  it("share sign-in and sign-out, but keep each user's drafts separate", {
    timeout: 600_000,
  }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by } = window;
    // A form that was opened before anybody signed in, and is filled in later.
    const second = windowAt(window, await page.context().newPage(), node.url);
    await second.open('/sign-up');
    await linked(window, present(node.sandbox, 'the sandbox'));
    await write(node, ANNA, 'Only for Acme');
    await window.open('/inbox');
    await by('chat-row').click();
    await by('composer').fill('a draft of the first');
    const chat = new URL(page.url()).pathname.replace('/console', '');

    await second.by('sign-up-name').fill('Warung Budi');
    await signInWith(second, node, BUDI);
    const whoIs = (one: Window): Promise<string | null> => one.by('sign-out').getAttribute('title');
    await until("the first tab is the second person's", async () => (await whoIs(window)) === 'Warung Budi');
    await window.settled();
    assert.equal(await page.getByText('Only for Acme').count(), 0);
    assert.equal(
      await by('composer')
        .inputValue()
        .catch(() => ''),
      '',
    );

    await window.open('/');
    await openAccount(window);
    await by('sign-out').click();
    await second.page.waitForURL('**/sign-in**');
    await second.open('/sign-in');
    await signInWith(second, node, OWNER);
    await until("it is the first person's", async () => (await whoIs(second)) === 'Toko Acme');
    await second.open(chat);
    await second.page.getByText('Only for Acme').first().waitFor();
    assert.equal(await second.by('composer').inputValue(), 'a draft of the first');
    await openAccount(second);
    await second.by('sign-out').click();
    await second.page.waitForURL('**/sign-in**');
    const kept = 'Object.keys(localStorage).filter((name) => name.startsWith("console.typed:"))';
    assert.deepEqual(await second.page.evaluate(kept), [], 'who signs out leaves nothing that they typed');
    assert.deepEqual(window.faults, []);
  });
});

/** Another tab of the same browser. */
function windowAt({ faults }: Window, tab: Page, url: string): Window {
  const settled = (): Promise<void> => tab.locator('main[aria-busy="false"] h1').first().waitFor();
  return {
    ...{ page: tab, faults, settled },
    by: (testId) => tab.locator(`[data-testid="${testId}"]`),
    async open(path) {
      await tab.goto(`${url}/console${path}`);
      await settled();
    },
  };
}

/** Where the number is asked for. */
async function signInWith({ by, page }: Window, node: Node, phone: string): Promise<void> {
  const sandbox = present(node.sandbox, 'the sandbox');
  const former = codeOn(sandbox, phone);
  await by('sign-in-phone').fill(`+${phone}`);
  await by('sign-in-submit').click();
  await until('a new code', () => codeOn(sandbox, phone) !== former);
  await by('sign-in-code').fill(codeOn(sandbox, phone));
  await by('sign-in-submit').click();
  await page.waitForURL('**/console/');
}
