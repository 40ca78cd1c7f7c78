import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, closeBrowser, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';

after(closeBrowser);

whereChromiumIs('an operator in the console', () => {
  it('can sign in with the secret, drain and undrain a node, and preview moves', async (t) => {
    const node = await aServedConsole(t, embedded);
    const { by, page, open, settled, faults } = await aWindow(t, node.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const unlock = async (secret: string): Promise<void> => {
      await by('admin-secret').fill(secret);
      await page.keyboard.press('Enter');
    };

    const owner = await aWindow(t, node.url);
    await signUpIn(owner, node, '6281200000001');
    await open('/operator/cluster');
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/v1')),
      [],
    );
    await unlock('not the secret of this gateway');
    await page.getByRole('alert').waitFor();
    await unlock(node.secrets.admin);
    await by('node-row').waitFor();
    await settled();
    assert.equal(await by('node-row').getAttribute('data-node-id'), 'n1');
    const isIn = (state: string): Promise<unknown> =>
      until(`the node is ${state}`, async () => (await by('node-row').getAttribute('data-state')) === state);
    await by('node-drain').click();
    await isIn('draining');
    await by('node-undrain').click();
    await isIn('active');

    assert.ok(await by('rebalance-apply').isDisabled());
    await by('rebalance-preview').click();
    await page.getByText('Already balanced').waitFor();
    assert.equal(asked.filter((path) => path.endsWith('/rebalance')).length, 1);
    assert.ok(await by('rebalance-apply').isDisabled(), 'no device has to move');
    const reason = await by('rebalance-apply').getAttribute('aria-describedby');
    assert.match((await page.locator(`[id="${reason}"]`).textContent()) ?? '', /^Already balanced/);

    await page.getByRole('link', { name: 'Tenants' }).first().click();
    await page.getByRole('heading', { name: 'Tenants', level: 1 }).waitFor();
    assert.equal(await by('admin-secret').count(), 0, 'the secret is kept while the window is open');
    await page.getByRole('searchbox', { name: 'Find a tenant' }).fill('nobody');
    await page.getByText('No tenants match').waitFor();
    assert.equal(new URL(page.url()).search, '?q=nobody');
    await page.getByRole('searchbox').fill('Acme');
    await page.getByRole('button', { name: 'Details of Toko Acme' }).click();
    await page.getByText('This tenant has no devices.').waitFor();
    await page.getByRole('button', { name: 'Suspend' }).click();
    await by('confirm').click();
    await page.getByText('Suspended').waitFor();

    await page.getByRole('link', { name: 'Network' }).first().click();
    await page.getByText('No contradictions.').waitFor();
    await page.getByText('The gateway could read all content.').waitFor();
    await page.getByRole('button', { name: 'Pin a version' }).click();
    await page.getByLabel('Version', { exact: true }).fill('2.3000.1');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Even if it is older').check();
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('Pinned by you').waitFor();
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.getByText('Pinned by you').waitFor({ state: 'detached' });
    await page.reload();
    await by('admin-secret').waitFor();
    assert.equal(await page.evaluate('JSON.stringify([localStorage, sessionStorage])'), '[{},{}]');
    assert.deepEqual(faults, []);
  });
});
