import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { aWindow, closeBrowser, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';

after(closeBrowser);

whereChromiumIs('the operator in a browser', () => {
  it('opens the cluster by the secret, drains a node and takes it back, and sees the moves before they are made', async (t) => {
    const node = await aServedConsole(t, embedded);
    const { by, page, open, settled, faults } = await aWindow(t, node.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const unlock = async (secret: string): Promise<void> => {
      await by('admin-secret').fill(secret);
      await page.keyboard.press('Enter');
    };

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
    await page.getByText('nothing has to move').waitFor();
    assert.equal(asked.filter((path) => path.endsWith('/rebalance')).length, 1);
    await by('rebalance-apply').click();
    await page.getByText('0 devices are moving').waitFor();
    assert.ok(await by('rebalance-apply').isDisabled());

    await page.getByRole('link', { name: 'Tenants' }).first().click();
    await page.getByRole('heading', { name: 'Tenants', level: 1 }).waitFor();
    assert.equal(await by('admin-secret').count(), 0, 'the secret is kept while the window is open');
    await page.reload();
    await by('admin-secret').waitFor();
    assert.equal(await page.evaluate('JSON.stringify([localStorage, sessionStorage])'), '[{},{}]');
    assert.deepEqual(faults, []);
  });
});
