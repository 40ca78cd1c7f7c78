import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';

const FILE = 'Nama;Nomor HP;Kota\n"Anna; Wijaya";+6281211110001;Solo\nBudi;12;Solo\n<img src=x onerror=alert(1)>;+6281211110003;Solo\n';

after(closeBrowser);

whereChromiumIs('an owner', () => {
  it('imports contacts whose columns they name, finds one, and notes what they said', { timeout: 120_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by, open } = window;
    await signUpIn(window, node, '6281100000009');
    await open('/contacts');
    assert.deepEqual(await barriers(page), [], 'empty');
    await by('contacts-import').click();
    await by('import-file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) });
    await page.getByText('Nomor HP').waitFor();
    await by('import-start').click();
    await page.locator('[data-testid="import-result"][data-status="done"]').waitFor();
    assert.equal(await by('import-error').count(), 1);
    assert.deepEqual(await barriers(page), [], 'imported');
    await page.keyboard.press('Escape');
    await until('two contacts', async () => (await by('contact-row').count()) === 2);
    await by('filter-search').fill('Anna');
    await page.waitForURL('**?q=Anna');
    await until('one contact', async () => (await by('contact-row').count()) === 1);
    await by('contact-row').getByRole('button').click();
    await by('contact-opt-out').click();
    await until('noted', async () => (await by('contact-consent').textContent()) === 'Opted out');
    assert.deepEqual(await barriers(page), [], 'a contact');
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    assert.deepEqual(window.faults, []);
  });
});
