import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { codeFor, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, write } from './linked-business.ts';

const AGENT = '6281311110001';
const PLACES = ['/analytics', '/privacy'];

after(closeBrowser);

whereChromiumIs("the console's reports", () => {
  it('show messages per day to the owner, and are not available to agents', { timeout: 600_000 }, async (t) => {
    const { node, window, call } = await aLinkedBusiness(t, embedded);
    const { page, by, open, faults } = window;
    const looksWell = async (where: string): Promise<void> => {
      assert.deepEqual(await barriers(page), [], where);
      await page.setViewportSize({ width: 360, height: 640 });
      assert.equal(await isWiderThanWindow(page), false, where);
      await page.setViewportSize({ width: 1_280, height: 800 });
    };
    /** The date of a row of the table, newest first. */
    const dayOf = (nth: number): Promise<string | null> => by('analytics-day').nth(nth).locator('th').textContent();
    await open('/analytics');
    await page.getByText('No messages in this period').waitFor();

    await write(node, ANNA, 'Is it there?');
    await until('it is counted', async () => (await call('GET', '/v1/analytics/overview?days=7')).body.received.value === 1);
    await page.reload();
    await by('analytics-chart').waitFor();
    assert.equal(await by('analytics-received').textContent(), '1');
    const chart = page.getByRole('img', { name: 'sent 0, received 1, failed 0' });
    await chart.focus();
    for (const [key, day] of [
      ['ArrowRight', 0],
      ['ArrowRight', 1],
      ['ArrowLeft', 0],
      ['End', 6],
    ] as const) {
      await chart.press(key);
      assert.equal(await page.locator('.tip-day').textContent(), await dayOf(6 - day), key);
    }
    assert.match((await by('analytics-chart').getByRole('status').textContent()) ?? '', /: Sent 0, Received 1, Failed 0$/);
    assert.deepEqual(await barriers(page), [], 'a day is chosen');
    await chart.press('Escape');
    assert.equal(await page.locator('.tip').count(), 0);
    await chart.hover({ position: { x: 900, y: 60 } });
    assert.equal(await page.locator('.tip-day').textContent(), await dayOf(0), 'the day under the pointer');
    await page.getByRole('img', { name: /^Busiest: \w+day from/ }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    assert.match((await saved).suggestedFilename(), /^messages-.*\.csv$/);
    await page.getByText('Show as a table').click();
    assert.equal(await by('analytics-day').count(), 7);
    assert.match((await by('analytics-day').first().textContent()) ?? '', /00001$/);
    await looksWell('figures');

    await page.getByRole('link', { name: '30 days' }).click();
    await page.waitForURL('**?days=30&by=devices');
    await until('thirty days', async () => (await by('analytics-day').count()) === 30);
    await page.getByRole('link', { name: 'Agents' }).last().click();
    await page.waitForURL('**?days=30&by=agents');
    await page.getByRole('row', { name: 'Toko Acme' }).waitFor();
    await page.goBack();
    await page.waitForURL('**?days=30&by=devices');

    await page.route('**/v1/analytics/daily*', (route) => route.abort());
    await page.reload();
    await by('retry').waitFor();
    assert.deepEqual(await barriers(page), [], 'failed');
    await page.unroute('**/v1/analytics/daily*');
    await by('retry').click();
    await by('analytics-chart').waitFor();
    assert.deepEqual(faults, []);

    await call('POST', '/v1/agents', { name: 'Dewi', phone: `+${AGENT}` });
    const agent = await aWindow(t, node.url);
    const asked: string[] = [];
    agent.page.on('request', (request) => void (/analytics|privacy/.test(new URL(request.url()).pathname) && asked.push(request.url())));
    await agent.open('/sign-in');
    await agent.by('sign-in-phone').fill(`+${AGENT}`);
    await agent.by('sign-in-submit').click();
    await agent.by('sign-in-code').fill(await codeFor(node, AGENT));
    await agent.by('sign-in-submit').click();
    await agent.page.waitForURL('**/console/inbox');
    for (const place of PLACES) {
      await agent.open(place);
      await agent.by('not-allowed').waitFor();
    }
    assert.deepEqual(
      asked.filter((url) => url.includes('/v1/')),
      [],
    );
  });
});
