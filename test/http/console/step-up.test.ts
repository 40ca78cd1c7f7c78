import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Store } from '../../../store/port.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn } from '../../support/console.ts';
import type { Scope, StoreKind } from '../../support/stores.ts';
import { embedded } from '../../support/stores.ts';
import { callIn } from './linked-business.ts';

const OWNER = '6281100000009';
const STALE_MS = 11 * 60_000;
const SECOND_MS = 1_000;

after(closeBrowser);

/** A business with two-factor and ten recovery codes; `stale` makes its last code eleven minutes old. */
async function withSecondFactor(t: Scope) {
  const opened: Store[] = [];
  const fresh = async (scope: Scope): Promise<Store> => {
    const store = await embedded.fresh(scope);
    opened.push(store);
    return store;
  };
  const kind: StoreKind = { name: 'embedded', fresh };
  const node = await aServedConsole(t, kind);
  const window = await aWindow(t, node.url);
  await signUpIn(window, node, OWNER);
  const call = await callIn(window);
  const { secret } = (await call('POST', '/v1/2fa/setup')).body;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const { recovery_codes: codes } = (await call('POST', '/v1/2fa/enable', { code })).body as { recovery_codes: string[] };
  const logins = opened[0]!.collection<{ _id: string; second_factor_at: number }>({ name: 'logins', indexes: [] });
  const stale = async (): Promise<void> => {
    await logins.updateMany({}, { $set: { second_factor_at: Date.now() - STALE_MS } });
    // A page that is opened in the same second gets the same token, of which the gateway remembers the code.
    await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
  };
  return { window, call, codes, stale };
}

whereChromiumIs('an expired second factor in the console', () => {
  it('can be renewed on every page with a sensitive action, and the action then continues', { timeout: 600_000 }, async (t) => {
    const { window, call, codes, stale } = await withSecondFactor(t);
    const { page, by, open, faults } = window;
    const dialog = page.locator('dialog[open]');
    const { id } = (await call('POST', '/v1/sessions', { name: 'Front desk' })).body;
    await call('POST', '/v1/contacts', { phone: '+6281211110001', name: 'Anna' });

    /** Opens a page with a token of its own, so that the gateway reads the login anew, and does something there. */
    const prove = async (path: string, act: (by: Window['by']) => Promise<void>): Promise<void> => {
      await stale();
      await open(path);
      await act(by);
      await by('step-up-code').fill(codes.pop() ?? '');
      await page.keyboard.press('Enter');
      await by('step-up-code').waitFor({ state: 'detached' });
    };

    // A wrong code is told of there; whoever closes the window can try the act again.
    await stale();
    await open('/contacts');
    await page.getByRole('button', { name: 'Export' }).click();
    await by('step-up-code').fill('000000');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.deepEqual(await barriers(page), [], 'the window for the code');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await by('retry').click();
    await by('step-up-code').waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0, 'the wrong code is forgotten');
    const download = page.waitForEvent('download');
    await by('step-up-code').fill(codes.pop() ?? '');
    await page.keyboard.press('Enter');
    assert.equal((await download).suggestedFilename(), 'contacts.csv');

    // Over a window of the page.
    await prove('/agents', async () => {
      await page.getByRole('button', { name: 'New agent' }).click();
      await dialog.getByLabel('Name').fill('Budi');
      await dialog.getByLabel('Phone number').fill('+6281200000002');
      await dialog.getByRole('button', { name: 'Add' }).click();
    });
    await page.getByRole('button', { name: 'Turn off Budi' }).waitFor();
    await prove('/webhooks', async () => {
      await by('webhook-new').click();
      await by('webhook-url').fill('https://example.com/hook');
      await by('webhook-save').click();
    });
    await page.locator('main strong', { hasText: 'https://example.com/hook' }).waitFor();
    await prove(`/devices/${id}`, async () => {
      await page.getByRole('button', { name: 'Delete' }).first().click();
      await by('confirm').click();
    });
    await page.waitForURL('**/console/devices');
    assert.deepEqual((await call('GET', '/v1/sessions')).body.sessions, []);
    assert.deepEqual(faults, []);
  });
});
