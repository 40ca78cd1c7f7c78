import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Sandbox } from '../../../actors/network/sandbox/sandbox.ts';
import { aWindow, closeBrowser, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aRestartableConsole, until } from '../../support/console.ts';
import { eachStore } from '../../support/stores.ts';
import { ANNA, isLive, linked, OWNER } from './linked-business.ts';

const says = (sandbox: Sandbox, text: string): unknown => sandbox.phone(ANNA).write({ to: OWNER, content: { type: 'text', body: text } });
const textsOf = ({ page }: Window): Promise<string[]> => page.locator('.message-text').allTextContents();
const reads = (window: Window, text: string): Promise<void> => window.page.locator('.message-text', { hasText: text }).waitFor();
const isOffline = ({ page }: Window): Promise<void> => page.locator('[data-testid="live"][data-state="offline"]').waitFor();

async function write({ by }: Window, text: string): Promise<void> {
  await by('composer').fill(text);
  await by('composer').press('Enter');
}

/** Each step is as long as timers need in turn: a dead connection is noticed, then others that are no better are tried. */
async function passUntilLive(window: Window): Promise<void> {
  await until('it is live', async () => {
    await window.page.clock.fastForward(8_000);
    return (await window.by('live').getAttribute('data-state')) === 'live';
  });
}

whereChromiumIs('the connection between a browser and the gateway', () => {
  after(closeBrowser);

  eachStore('the inbox over a bad connection', (kind) => {
    it('survives silent failures, sleep and restarts without losing or duplicating messages', {
      timeout: 600_000,
    }, async (t) => {
      const { line, sandbox, stop, start } = await aRestartableConsole(t, kind);
      const window = await aWindow(t, line.url);
      const { page, by, faults } = window;
      await page.clock.install();
      const { call, device } = await linked(window, sandbox);
      says(sandbox, 'one');
      await window.open('/inbox');
      await isLive(window);
      await by('chat-row').click();
      await reads(window, 'one');
      const chat = page.url();

      // The line carries nothing more, and nobody closes it; what is sent gets no answer.
      line.die();
      await write(window, 'mine, without an answer');
      await page.locator('[data-status="waiting"]').waitFor();
      says(sandbox, 'two');
      await page.clock.fastForward(41_000);
      await isOffline(window);
      await by('banner').waitFor();
      await passUntilLive(window);
      await reads(window, 'two');
      await until('it left', async () => {
        await page.clock.fastForward(30_000);
        return (await page.locator('[data-status="waiting"]').count()) === 0;
      });
      await isLive(window);
      assert.equal(await by('banner').count(), 0);

      // The lid is closed for a night.
      line.die();
      says(sandbox, 'three');
      await page.clock.fastForward(9 * 3_600_000);
      await page.evaluate('dispatchEvent(new Event("focus"))');
      await passUntilLive(window);
      await reads(window, 'three');

      // The gateway is restarted.
      await stop();
      await by('banner').waitFor();
      await write(window, 'mine, while nobody answers');
      await page.locator('[data-status="waiting"]').waitFor();
      await by('composer').fill('a draft');
      await start();
      await passUntilLive(window);
      says(sandbox, 'four');
      await reads(window, 'four');
      await until('it left', async () => {
        await page.clock.fastForward(20_000);
        return (await page.locator('[data-status="waiting"]').count()) === 0;
      });
      assert.equal(page.url(), chat);
      assert.equal(await by('composer').inputValue(), 'a draft');
      const all = ['four', 'mine, while nobody answers', 'mine, without an answer', 'one', 'three', 'two'];
      assert.deepEqual((await textsOf(window)).sort(), all);
      const { messages } = (await call('GET', `/v1/sessions/${device}/messages?direction=outbound`)).body;
      assert.equal(messages.length, 2, 'nothing went twice');
      assert.deepEqual(faults, []);
    });
  });
});
