import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, write } from './linked-business.ts';

after(closeBrowser);

whereChromiumIs('privacy settings in the console', () => {
  it('let the owner set retention periods and holds, export data, and erase a person', { timeout: 600_000 }, async (t) => {
    const { node, window, call } = await aLinkedBusiness(t, embedded);
    const { page, by, open, faults } = window;
    const dialog = page.locator('dialog[open]');
    await write(node, ANNA, 'Forget me, please');
    await until('it is there', async () => (await call('GET', '/v1/inbox')).body.chats.length === 1);

    await open('/privacy');
    await page.getByText('No erasures yet').waitFor();
    await by('retention-messages').fill('30');
    await page.getByRole('button', { name: 'Save the periods' }).click();
    await dialog.getByText('Messages: 0').waitFor();
    await page.keyboard.press('Escape');
    assert.notEqual((await call('GET', '/v1/privacy')).body.pending?.retention_days.messages, 30, 'not before the word');
    await page.getByRole('button', { name: 'Save the periods' }).click();
    await by('confirm').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const settings = (await call('GET', '/v1/privacy')).body;
    assert.equal((settings.pending ?? settings).retention_days.messages, 30);

    await page.getByRole('button', { name: 'Hold a person’s data' }).click();
    await dialog.getByLabel('Phone number').fill(`+${ANNA}`);
    await dialog.getByLabel('Reason').fill('Invoice 17');
    await dialog.getByLabel('Until').fill('2099-01-01T10:00');
    assert.deepEqual(await barriers(page), [], 'a window over the page');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const erase = async (): Promise<void> => {
      await page.locator('main form').getByLabel('Phone number').fill(`+${ANNA}`);
      await page.getByRole('button', { name: 'Erase a person' }).click();
      await by('confirm').click();
    };
    await erase();
    await by('retry').waitFor();
    assert.equal(await by('erasure-row').count(), 0, 'the hold stands');
    await page.locator('main form').getByLabel('Phone number').fill('+6281211110002');
    await by('retry').click();
    await dialog.getByText('+6281211110002').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'End a person’s hold' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'New export' }).click();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.locator('[data-testid="export-row"][data-status="done"]').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the export' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^export-\w+\.zip$/);

    await erase();
    await page.locator('[data-testid="erasure-row"][data-status="done"]').waitFor();
    await page.getByText('Proof').waitFor();
    const { chats } = (await call('GET', '/v1/inbox')).body;
    assert.ok(!JSON.stringify(chats).includes(ANNA), 'only the notices to the owner are left');
    assert.deepEqual(await barriers(page), [], 'full');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    assert.deepEqual(faults, []);
  });
});
