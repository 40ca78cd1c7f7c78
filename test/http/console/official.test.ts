import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, callIn, OWNER } from './linked-business.ts';

const NUMBER = '6281100000077';

after(closeBrowser);

whereChromiumIs('an official number in the console', () => {
  it('can be connected, given a template, and used for a campaign that shows its cost', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const sandbox = present(node.sandbox, 'the sandbox');
    const verbs = sandboxVerbs(sandbox);
    const window = await aWindow(t, node.url);
    const { page, by, open, faults } = window;
    const dialog = page.locator('dialog[open]');
    const looksWell = async (where: string): Promise<void> => {
      assert.deepEqual(await barriers(page), [], where);
      await page.setViewportSize({ width: 360, height: 640 });
      assert.equal(await isWiderThanWindow(page), false, where);
      await page.setViewportSize({ width: 1_280, height: 800 });
    };
    await signUpIn(window, { sandbox }, OWNER);
    const call = await callIn(window);
    await call('PUT', '/v1/settings', { send_window: { enabled: false } });
    const rows = [{ country: 'ID', category: 'marketing', amount: 0.0411 }];
    const put = await fetch(`${node.url}/v1/admin/prices`, {
      method: 'PUT',
      headers: { 'x-admin-secret': node.secrets.admin, 'content-type': 'application/json' },
      body: JSON.stringify({ currency: 'USD', effective_from: Date.now() - 86_400_000, rows }),
    });
    assert.equal(put.status, 200);

    // A wrong token is named with its repair; the right one connects.
    const keys = verbs.createOfficial({ phone_number: NUMBER });
    await open('/devices');
    await by('connect-official').click();
    await looksWell('the form');
    for (const [name, value] of Object.entries({ ...keys, access_token: 'EAAwrong-token' })) await by(`official-${name}`).fill(value);
    await dialog.getByRole('button', { name: 'Save and check' }).click();
    await page.locator('[data-testid="official-checked"][data-ok="false"]').getByText('create a new token').waitFor();
    await page.getByText('Secrets and limit').click();
    await page.getByLabel('Access token of the system user').fill(keys.access_token);
    await by('official-limit').fill('200');
    await by('official-number').getByRole('button', { name: 'Save', exact: true }).click();
    await by('official-number').getByText('Saved', { exact: true }).waitFor();
    await by('official-check').click();
    await page.locator('[data-testid="device-status"][data-status="connected"]').waitFor();
    await page.locator('[data-testid="official-checked"][data-ok="true"]').getByText('Account sends its events').waitFor();
    assert.equal(await page.locator('[data-testid="official-checked"][data-ok="false"]').count(), 0);
    await page.getByText('App callback').click();
    await looksWell('the number');
    const [session] = (await call('GET', '/v1/sessions')).body.sessions;
    assert.equal(session.monthly_service_limit, 200);

    await open('/templates');
    await by('new-official-template').click();
    for (const [name, value] of [
      ['name', 'sale'],
      ['header', 'Sale'],
      ['body', 'Hi {{1}}, come by today.'],
      ['footer', 'Toko Acme'],
      ['buttons', 'Stop\nTell me more'],
    ] as const)
      await by(`template-${name}`).fill(value);
    await dialog.getByLabel('Category').selectOption('Marketing');
    await dialog.getByLabel('Example for 1').fill('Anna');
    const picture = await by('template-picture').textContent();
    for (const part of ['Sale', 'Hi Anna, come by today.', 'Toko Acme', 'Tell me more'])
      assert.ok(picture?.includes(part), picture ?? part);
    await looksWell('the editor');
    await dialog.getByRole('button', { name: 'Submit for review' }).click();
    await page.locator('[data-testid="template-state"][data-status="pending"]').waitFor();
    verbs.changeOfficial(keys.phone_number_id, { templates: { 'sale:id': 'approved' } });
    // The open list shows the approval.
    await page.locator('[data-testid="template-state"][data-status="approved"]').waitFor();
    await looksWell('templates');

    await open('/campaigns/new');
    await by('campaign-name').fill('Sale');
    await by('campaign-recipients').fill(`+${ANNA},Anna`);
    await by('campaign-next').click();
    await page.getByLabel('What is sent').selectOption('sale (id)');
    await page.getByLabel('Value for 1').fill('{{first_name|there}}');
    await by('campaign-preview').getByText('Hi Anna, come by today.').waitFor();
    await looksWell('the campaign');
    await by('campaign-next').click();
    await by('campaign-next').click();
    await until('the cost is shown', async () => /0\.0411/.test((await by('campaign-cost').textContent()) ?? ''));
    await by('campaign-attest').check();
    await by('campaign-start').click();
    await page.waitForURL(/\/campaigns\/\w{26}/);
    await until('she has it', async () => verbs.messages(ANNA).messages.some(({ body }) => body === 'Hi Anna, come by today.'));
    await until('it is counted', async () => (await call('GET', '/v1/analytics/costs?days=7')).body.rows.length === 1);
    await page.reload();
    await by('campaign-costs')
      .getByText(/0\.0411/)
      .waitFor();
    await looksWell('the finished campaign');
    await open('/analytics');
    assert.match((await by('cost-row').textContent()) ?? '', /Marketing.*ID.*0\.0411/);
    await looksWell('the report');
    assert.deepEqual(faults, []);
  });
});
