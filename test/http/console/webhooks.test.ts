import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aReceiver } from '../../actors/services/webhooks/receiver.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { callIn, isLive } from './linked-business.ts';

after(closeBrowser);

whereChromiumIs('webhooks in the console', () => {
  it('can be created by an owner, who can see and replay failed deliveries', { timeout: 600_000 }, async (t) => {
    const receiver = await aReceiver(t);
    const node = await aServedConsole(t, embedded, { egress_allow: [receiver.place] });
    const window = await aWindow(t, node.url);
    const { page, by, open } = window;
    await signUpIn(window, node, '6281100000009');
    await open('/webhooks');
    assert.deepEqual(await barriers(page), [], 'empty');
    await by('webhook-new').click();
    assert.ok((await by('webhook-secret').inputValue()).length >= 32);
    assert.ok(await page.getByLabel('message.received').isChecked());
    assert.deepEqual(await barriers(page), [], 'the form');
    await by('webhook-url').fill('http://10.0.0.1/');
    await by('webhook-save').click();
    await page.getByRole('alert').waitFor();
    await by('webhook-url').fill(receiver.url);
    await by('webhook-save').click();
    await page.locator('main strong', { hasText: receiver.url }).waitFor();

    receiver.answer((response) => response.writeHead(500).end('<img src=x onerror=alert(1)>'));
    await by('webhook-test').click();
    const row = by('delivery-row').first();
    await row.click();
    await by('delivery-attempt').getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await by('delivery-attempt').count(), 1);
    assert.deepEqual(await barriers(page), [], 'full');
    await by('delivery-payload').first().locator('summary').click();
    const sent = (await page.getByRole('region', { name: 'Request body' }).textContent()) ?? '';
    assert.equal(JSON.parse(sent).type, 'webhook.test');
    assert.deepEqual(await barriers(page), [], 'what is sent');
    receiver.answer((response) => response.end('thanks'));
    await by('redeliver').click();
    await until('it arrived', async () => (await row.getAttribute('data-status')) === 'delivered');
    await by('delivery-attempt').nth(1).getByText('thanks').waitFor();
    await by('filter-status').selectOption('failed');
    await page.getByText('No deliveries yet.').waitFor();
    await page.goBack();
    await by('delivery-row').waitFor();

    // All that failed goes again, under a new secret; what happens is shown as a webhook would get it.
    const call = await callIn(window);
    receiver.answer((response) => response.writeHead(500).end());
    await by('webhook-test').click();
    await until('it was tried', async () => (await call('GET', '/v1/webhooks/deliveries')).body.deliveries[0].attempt === 1);
    receiver.answer((response) => response.end('thanks'));
    const dialog = page.locator('dialog[open]');
    // Only the change fails: live events may reload the deliveries at any time.
    await page.route('**/v1/webhooks/*', (route) => (route.request().method() === 'GET' ? route.fallback() : route.abort()));
    await page.locator('main').getByRole('button', { name: 'Change the secret' }).click();
    await by('confirm').click();
    await dialog.locator('[data-testid="retry"]').waitFor();
    await page.unroute('**/v1/webhooks/*');
    await dialog.locator('[data-testid="retry"]').click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('main').getByRole('button', { name: 'Retry failed deliveries' }).click();
    await by('confirm').click();
    await page.getByText('One delivery is being retried.').waitFor();
    await until('all arrived', async () => (await page.locator('[data-testid="delivery-row"][data-status="delivered"]').count()) === 2);
    await isLive(window);
    await page.locator('summary', { hasText: 'Live events' }).click();
    await page.getByText('Waiting for the next event.').waitFor();
    await call('PUT', `/v1/consent/${encodeURIComponent('+6281211110001')}`, { status: 'opted_in' });
    await page.getByRole('region', { name: 'consent.changed' }).waitFor();
    await page.locator('summary', { hasText: 'Check the signature' }).click();
    await page.getByRole('region', { name: 'PHP' }).waitFor();
    assert.deepEqual(await barriers(page), [], 'all of it');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    assert.deepEqual(window.faults, []);
  });
});
