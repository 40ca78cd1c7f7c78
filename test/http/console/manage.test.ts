import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, openAccount, readCode, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, codeFor, signUpIn, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { aLinkedBusiness, callIn } from './linked-business.ts';

const OWNER = '6281200000001';
const HOSTILE = '<img src=x onerror=alert(1)>';

after(closeBrowser);

whereChromiumIs('account settings in the console', () => {
  it('let the owner change the business name, turn on two-factor, and see active sessions', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by, open, settled, faults } = window;
    await signUpIn(window, node, OWNER);
    await open('/settings');
    assert.equal(await by('save-bar').count(), 0);
    await page.getByLabel('Business name').fill('Toko Baru');
    await by('save').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await by('save-bar').waitFor({ state: 'detached' });
    await open('/settings/security');
    await page.getByText('This browser').waitFor();
    await page.getByRole('button', { name: 'Set up' }).click();
    assert.match(await readCode(by('factor-qr')), /^otpauth:/);
    const secret = (await page.locator('main code').first().textContent()) ?? '';
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    await page.getByLabel('Code from the app').fill(app.generate());
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('On. 10 recovery codes left.').waitFor();
    const [recovery = ''] = ((await page.locator('p.code').textContent()) ?? '').split(/\s+/);
    assert.deepEqual(await barriers(page), []);

    const other = await page.context().newPage();
    await other.goto(`${node.url}/console/settings/security`);
    await other.getByText('This browser').waitFor();
    // Who asks the gateway would learn it, too, but later: here only the other tab tells.
    await other.route('**/console/session/refresh', (route) => route.abort());
    await openAccount(window);
    await by('sign-out').click();
    await other.waitForURL('**/console/sign-in?next=**');
    await other.getByText('Active sessions').waitFor({ state: 'detached' });
    await page.waitForURL(`${node.url}/console/sign-in`);
    await by('sign-in-phone').fill(`+${OWNER}`);
    const known = await codeFor(node, OWNER);
    await by('sign-in-submit').click();
    await by('sign-in-code').fill(
      await until('another code arrives', async () => {
        const code = await codeFor(node, OWNER);
        return code === known ? null : code;
      }),
    );
    await by('sign-in-submit').click();
    await page.getByLabel('Two-factor code').fill(recovery);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${node.url}/console/`);
    await settled();
    assert.match((await page.locator('h1').textContent()) ?? '', /^Good \w+, Toko Acme$/);
    assert.deepEqual(faults, []);
  });
});

whereChromiumIs('business settings in the console', () => {
  it('let the owner change the send window, pace, welcome message, consent words and assignment', { timeout: 600_000 }, async (t) => {
    const { window, call } = await aLinkedBusiness(t, embedded);
    const { page, by, open, faults } = window;
    const saved = async (): Promise<void> => {
      await by('save').click();
      await page.getByText('Saved', { exact: true }).waitFor();
      assert.deepEqual(await barriers(page), []);
    };
    await open('/settings/window');
    await page.getByLabel('From').fill('09:30');
    await page.getByLabel('Until').fill('17:00');
    await page.getByLabel('Sun').uncheck();
    await page.getByLabel('Shortest pause').fill('3');
    await page.getByLabel('Longest pause').fill('1');
    await by('save').click();
    await page.locator('main').getByRole('alert').waitFor();
    await page.getByLabel('Longest pause').fill('9');
    await saved();
    const { send_window, pacing } = (await call('GET', '/v1/settings')).body;
    assert.deepEqual([send_window.start, send_window.end, send_window.days.includes(0)], ['09:30', '17:00', false]);
    assert.deepEqual([pacing.min_delay_ms, pacing.max_delay_ms], [3_000, 9_000]);
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    await page.setViewportSize({ width: 1_280, height: 800 });

    await open('/settings/welcome');
    await page.getByLabel('Greet people who write for the first time').check();
    await page.getByLabel('Greeting').fill('Hello {nmae}');
    await by('save').click();
    await page.getByText('nmae').first().waitFor();
    assert.equal((await call('GET', '/v1/settings')).body.welcome.text, 'Hello {nmae}');

    await open('/settings/consent');
    const words = page.getByLabel('Opt-out words');
    const before = (await call('GET', '/v1/consent/config')).body.optout_keywords;
    await page.getByRole('button', { name: `Remove ${before[0]}`, exact: true }).click();
    await words.fill('tidak mau');
    await words.press('Enter');
    await words.fill('jangan lagi,');
    await page.getByLabel('Answer to an opt-out').fill('You get no more offers.');
    await saved();
    const consent = (await call('GET', '/v1/consent/config')).body;
    assert.deepEqual(consent.optout_keywords, [...before.slice(1), 'tidak mau', 'jangan lagi']);
    assert.equal(consent.optout_reply, 'You get no more offers.');

    await open('/settings/assignment');
    await page.getByLabel('In turn').check();
    await saved();
    assert.equal((await call('GET', '/v1/assignment')).body.mode, 'round_robin');

    await open('/settings/fields');
    await page.getByText('No fields yet').waitFor();
    await page.getByRole('button', { name: 'New field' }).click();
    await page.getByLabel('Name').fill('Tanggal lahir');
    assert.equal(await page.getByLabel('Key').inputValue(), 'tanggal_lahir');
    await page.getByLabel('Type').selectOption('Date');
    await page.locator('dialog[open]').getByRole('button', { name: 'Save' }).click();
    await by('field-row').waitFor();
    const { attributes } = (await call('GET', '/v1/attributes')).body;
    assert.deepEqual([attributes[0].key, attributes[0].label, attributes[0].type], ['tanggal_lahir', 'Tanggal lahir', 'date']);
    await page.getByRole('button', { name: 'Delete Tanggal lahir' }).click();
    await by('confirm').click();
    await page.getByText('No fields yet').waitFor();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Team' }).click();
    await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();

    await open('/settings/elsewhere');
    await by('not-found').waitFor();
    assert.deepEqual(faults, []);
  });
});

whereChromiumIs('passkeys in the console', () => {
  it('can be added, used to sign in, and removed', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    // Browsers give passkeys to names, not to addresses.
    const url = node.url.replace('127.0.0.1', 'localhost');
    const window = await aWindow(t, url);
    const { page, by, open } = window;
    const browser = await page.context().newCDPSession(page);
    await browser.send('WebAuthn.enable');
    const means = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
    await browser.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', transport: 'internal', ...means } });
    await signUpIn(window, node, OWNER);
    await open('/settings/security');
    await page.getByLabel('Name of the passkey').fill(HOSTILE);
    await page.keyboard.press('Enter');
    await by('passkey-row').waitFor();
    await openAccount(window);
    await by('sign-out').click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${url}/console/`);
    await open('/settings/security');
    await by('passkey-row').waitFor();
    // Last: the session that looks ends the pretended authenticator.
    assert.deepEqual(await barriers(page), []);
    await page.getByRole('button', { name: `Delete the passkey ${HOSTILE}` }).click();
    await by('confirm').click();
    await by('passkey-row').waitFor({ state: 'detached' });
    assert.deepEqual(window.faults, []);
  });
});

whereChromiumIs('an owner in the console', () => {
  it('can create, test, change and remove templates, agents and keys, and sees each audit entry', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by, open, faults } = window;
    const dialog = page.locator('dialog[open]');
    const looksWell = async (where: string): Promise<void> => {
      assert.deepEqual(await barriers(page), [], where);
      await page.setViewportSize({ width: 360, height: 640 });
      assert.equal(await isWiderThanWindow(page), false, where);
      await page.setViewportSize({ width: 1_280, height: 800 });
    };
    await signUpIn(window, node, OWNER);

    await open('/templates');
    const opener = page.locator('main [aria-haspopup]').first();
    await opener.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.ok(await opener.evaluate((one) => one.matches(':focus')), 'the focus is back');
    await opener.click();
    await looksWell('a window over the page');
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('Text').fill(`Hi {name}, ${HOSTILE} {var1}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Try it').click();
    await page.getByLabel('Name of a contact').fill('Anna');
    await page.getByRole('button', { name: 'Show the text' }).click();
    await page.getByText(`Hi Anna, ${HOSTILE}`).waitFor();
    await page.getByText('No value for this contact: var1').waitFor();
    await looksWell('templates');
    await page.getByRole('button', { name: `Edit ${HOSTILE}` }).click();
    await dialog.getByLabel('Name').fill('Greeting');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await opener.click();
    await dialog.getByLabel('Name').fill('Another');
    await dialog.getByLabel('Text').fill('Hello');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const rows = page.locator('main .list > li');
    await until('there are two', async () => (await rows.count()) === 2);
    for (const place of ['main .list > li:only-child:focus', 'main h1:focus']) {
      await rows.first().getByRole('button', { name: 'Delete' }).click();
      await by('confirm').click();
      // Whoever has no mouse goes on where the row was.
      await page.locator(place).waitFor();
    }
    await page.getByText('No templates yet').waitFor();

    await open('/agents');
    await page.getByRole('button', { name: 'New agent' }).click();
    await dialog.getByLabel('Name').fill('Budi');
    await dialog.getByLabel('Phone number').fill('+6281200000002');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Turn off Budi' }).click();
    await page.getByRole('button', { name: 'Turn on Budi' }).waitFor();
    await looksWell('agents');

    await open('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('change settings').uncheck();
    await dialog.getByRole('button', { name: 'Add' }).click();
    const key = (await page.locator('main [role=status] code').textContent()) ?? '';
    await looksWell('keys');
    const asKey = (path: string, method = 'GET'): Promise<Response> =>
      fetch(`${node.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
    assert.deepEqual([(await asKey('/v1/sessions')).status, (await asKey('/v1/sessions', 'POST')).status], [200, 403]);

    await open('/audit?action=key.create');
    await page.getByText('Toko Acme').first().waitFor();
    assert.equal(await page.locator('main .list > li').count(), 1);
    await page.getByRole('button', { name: 'Verify log' }).click();
    await page.getByText('The log is complete').waitFor();
    await looksWell('the audit log');

    // What failed is what is tried again.
    const call = await callIn(window);
    const old = (await call('POST', '/v1/api-keys', { name: 'Old' })).body;
    await open('/keys');
    await page.route('**/v1/api-keys/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Revoke Old' }).click();
    await by('confirm').click();
    await by('retry').waitFor();
    await page.unroute('**/v1/api-keys/*');
    await by('retry').click();
    await until('it is refused', async () => {
      const { status } = await fetch(`${node.url}/v1/sessions`, { headers: { authorization: `Bearer ${old.key}` } });
      return status === 401;
    });
    assert.equal(await page.locator('main [role=status] code').count(), 0, 'nothing was rotated');
    await page.getByText('Revoked').waitFor();
    assert.deepEqual(faults, []);
  });
});
