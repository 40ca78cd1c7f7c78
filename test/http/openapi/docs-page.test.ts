import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

after(closeBrowser);

whereChromiumIs('the API reference in a browser', () => {
  it('makes calls with a key, and is accessible in both languages, on phones and in dark mode', {
    timeout: 600_000,
  }, async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const tenant = await gateway.signUp();
    const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'Page' })).body;
    const { page, faults } = await aWindow(t, gateway.node.url, { viewport: { width: 360, height: 640 }, colorScheme: 'dark' });
    await page.goto(`${gateway.node.url}/docs/api`);
    const article = page.locator('article#createTag');
    const open = async (name: string) => article.locator('summary', { hasText: name }).click();

    await open('Try it');
    const send = article.getByRole('button', { name: 'POST /v1/tags' });
    await send.click();
    assert.equal(await page.locator('#key').evaluate((one) => one.matches(':focus')), true, 'it asks for the key first');
    await page.locator('#key').fill(key);
    await article.getByLabel('Body').fill('{"name": "From the page"}');
    await send.click();
    await article.locator('[role=status]', { hasText: /^201 / }).waitFor();
    assert.deepEqual(
      (await tenant.api('GET', '/v1/tags')).body.tags.map(({ name }: { name: string }) => name),
      ['From the page'],
    );

    const one = page.locator('article#deleteTag');
    await one.locator('summary', { hasText: 'Try it' }).click();
    await one.getByLabel(/^id \(path/).fill('no/such?id');
    await one.getByRole('button').click();
    await one.locator('[role=status]', { hasText: /^(400|404) / }).waitFor();
    assert.equal(await page.locator('article#listNodes .try').count(), 0, "no place for the operator's secret");

    assert.equal(await page.getByText('Daftar, kirim pesan').isVisible(), false);
    await page.getByRole('button', { name: 'Bahasa Indonesia' }).click();
    assert.equal(await page.getByText('Daftar, kirim pesan').isVisible(), true);
    assert.equal(await page.getByText('Sign up, send a message').isVisible(), false);
    assert.equal(await page.locator('html').getAttribute('lang'), 'id');

    assert.equal(await isWiderThanWindow(page), false);
    // The guide and a few operations: all of them are alike, and looking through them would take a minute.
    const few = ['createTag', 'deleteTag', 'sendMessage'].map((id) => `:not(#${id})`).join('');
    await page.locator(`article[id]${few}`).evaluateAll((others) => {
      for (const one of others) one.remove();
    });
    assert.deepEqual(await barriers(page), []);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1_280, height: 800 });
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(faults, []);
  });
});
