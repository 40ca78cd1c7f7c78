import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';

const OWNER = '6281200000001';
const HOSTILE = '<img src=x onerror=alert(1)>';

after(closeBrowser);

whereChromiumIs('what a business runs by itself, in a browser', () => {
  it('stores, a plan and its invoices, AI replies, auto-replies', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by, open, faults } = window;
    const dialog = page.locator('dialog[open]');
    const press = (name: string): Promise<void> => page.locator('main').getByRole('button', { name, exact: true }).click();
    const pressIn = (name: string): Promise<void> => dialog.getByRole('button', { name, exact: true }).click();
    const looksWell = async (where: string): Promise<void> => {
      assert.deepEqual(await barriers(page), [], where);
      await page.setViewportSize({ width: 360, height: 640 });
      assert.equal(await isWiderThanWindow(page), false, where);
      await page.setViewportSize({ width: 1_280, height: 800 });
    };
    await signUpIn(window, node, OWNER);

    await open('/stores');
    await page.getByText('No stores yet').waitFor();
    await press('Connect a store');
    await dialog.getByLabel('Platform').selectOption('WooCommerce');
    await dialog.getByLabel('Name of the store').fill(HOSTILE);
    await looksWell('connecting a store');
    await pressIn('Connect a store');
    const secret = (await page.locator('main [role=status] code').textContent()) ?? '';
    assert.ok(secret.length >= 16);
    await page.locator('summary', { hasText: 'What it told' }).click();
    await page.getByText('Nothing within the last 30 days.').waitFor();
    await press(`Texts of ${HOSTILE}`);
    await dialog.getByLabel('Text of “New order”').fill('Order {order}, thank you');
    await looksWell('texts of a store');
    await pressIn('Save');
    await dialog.waitFor({ state: 'detached' });
    await press(`Send a test of ${HOSTILE}`);
    await dialog.getByLabel('Phone number').fill('+6281200000009');
    await pressIn('Send a test');
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await press(`Switch off ${HOSTILE}`);
    await press(`Switch on ${HOSTILE}`);
    await looksWell('stores');
    await page.reload();
    await window.settled();
    assert.equal((await page.content()).includes(secret), false, 'the secret was told once');
    await press(`Disconnect ${HOSTILE}`);
    await by('confirm').click();
    await page.getByText('No stores yet').waitFor();

    await open('/billing');
    await page.getByText('No invoices yet').waitFor();
    await press('Choose starter');
    await dialog.getByText('To pay').waitFor();
    await looksWell('a checkout');
    await by('confirm').click();
    await dialog.getByRole('link', { name: 'Go to the payment' }).click();
    await page.getByRole('button', { name: 'Paid' }).click();
    await page.waitForURL('**/billing/return/**');
    await open('/billing');
    await page.getByText('Plan: starter').waitFor();
    await press('Cancel the plan');
    await by('confirm').click();
    await press('Keep the plan');
    await page.getByRole('button', { name: 'Cancel the plan' }).waitFor();
    await press('Resend messages stopped by the quota');
    await by('confirm').click();
    await page.getByText('On their way again: 0').waitFor();
    await page.locator('summary', { hasText: 'Lines' }).click();
    await looksWell('billing');

    await open('/ai');
    await page.getByLabel('Answer customers').check();
    await page.getByLabel('Words that call a person').fill('human, person');
    await press('Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    await press('New answer');
    await dialog.getByLabel('Question').fill('When do you open?');
    await dialog.getByLabel('Answer', { exact: true }).fill(`We open at nine. ${HOSTILE}`);
    await pressIn('Save');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('form', { hasText: 'Try it' }).getByLabel('Question').fill('When do you open?');
    await press('Ask');
    await page.locator('main .bubble', { hasText: 'We open at nine.' }).waitFor();
    await page
      .getByLabel('File: PDF')
      .setInputFiles({ name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('A cake costs Rp 50.000.') });
    await press('Upload');
    await page.getByRole('button', { name: 'Read again: prices.txt' }).waitFor();
    await looksWell('AI replies, auto-replies');
    await press('Delete prices.txt');
    await by('confirm').click();
    await page.getByText('None yet. Prices').waitFor();

    await open('/auto-replies');
    await page.getByText('No devices yet').waitFor();
    await open('/devices');
    await by('new-device').click();
    await by('link-qr').waitFor();
    await open('/auto-replies');
    await press('New rule');
    await dialog.getByLabel('Name').fill('Prices');
    await dialog.getByLabel('Answers when the message').selectOption('fits the pattern');
    await dialog.getByLabel('Text to look for').fill('^a+ price');
    await dialog.getByLabel('Reply', { exact: true }).fill(`Hi {name}, ${HOSTILE}`);
    await pressIn('Save');
    await page.getByLabel('Message of a customer').fill(`${'a'.repeat(40)} PRICE?`);
    await press('Try it');
    await page.getByText('“Prices” answers:').waitFor();
    await looksWell('auto-replies');
    await page.getByLabel('Message of a customer').fill('a'.repeat(40));
    await press('Try it');
    await page.getByText('No rule answers this.').waitFor();
    await press('Switch off Prices');
    await press('Switch on Prices');
    await press('Delete Prices');
    await by('confirm').click();
    await page.getByText('No rules yet').waitFor();
    assert.deepEqual(faults, []);
  });
});
