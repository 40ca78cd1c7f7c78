import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { present } from '../../../runtime/invariant.ts';
import { credentialFor } from '../../actors/network/passkeys.ts';
import { aWindow, barriers, closeBrowser, openAccount, readCode, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { calling } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, callIn, write } from './linked-business.ts';

const OWNER = '6281200000001';
const STRANGER = '6281200000002';
const SHY = '6281200000003';

after(closeBrowser);

whereChromiumIs('a console page', () => {
  it('requires sign-in, moves focus to the top of the page, and reports unknown addresses', async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by } = window;
    await page.goto(`${node.url}/console/devices?x=1`);
    await page.waitForURL(`${node.url}/console/sign-in?next=%2Fconsole%2Fdevices%3Fx%3D1`);
    await signUpIn(window, node, OWNER);
    await window.settled();
    await page.locator('nav').getByRole('link', { name: 'Devices' }).click();
    await page.waitForURL(`${node.url}/console/devices`);
    await page.locator('main h1:focus').waitFor();
    await page.reload();
    await window.settled();
    assert.equal(new URL(page.url()).pathname, '/console/devices', 'still signed in');
    await page.goto(`${node.url}/console/settings/team`);
    await page.waitForURL(`${node.url}/console/agents`);
    await window.settled();
    const answer = await page.goto(`${node.url}/console/design`);
    assert.equal(answer?.status(), 404);
    await by('not-found').waitFor();
    assert.deepEqual(window.faults, []);
  });

  it('can be found with search and keyboard shortcuts, just like chats and people', async (t) => {
    const { node, window, call } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    await call('POST', '/v1/contacts', { phone: `+${ANNA}`, name: 'Anna <b>Putri</b>' });
    await write(node, ANNA, 'Hello');
    await until('a chat', async () => (await call('GET', '/v1/inbox')).body.chats.length === 1);
    await open('/devices');
    await page.getByRole('button', { name: 'Search or jump to' }).click();
    await by('palette').waitFor();
    assert.deepEqual(await barriers(page), [], 'the palette');
    await page.keyboard.type('anna');
    await by('palette').getByRole('option').filter({ hasText: '+62 812' }).waitFor();
    assert.deepEqual(await barriers(page), [], 'what is found');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/inbox/*/*');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>audit');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/audit');
    await page.keyboard.press('Control+k');
    await by('palette').waitFor();
    await page.keyboard.press('Escape');
    await by('palette').waitFor({ state: 'detached' });

    await write(node, '6281211110002', 'Hello from Budi');
    await until('two chats', async () => (await call('GET', '/v1/inbox')).body.chats.length === 2);
    await page.keyboard.press('?');
    await by('key-list').waitFor();
    assert.deepEqual(await barriers(page), [], 'the list of keys');
    await page.keyboard.press('g');
    await page.keyboard.press('Escape');
    await by('key-list').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForURL('**/console/inbox');
    await until('both are listed', async () => (await by('chat-row').count()) === 2);
    await page.keyboard.press('j');
    await page.waitForURL('**/console/inbox/*/6281211110002*');
    await page.locator('.message-text', { hasText: 'Hello from Budi' }).waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(`**/console/inbox/*/${ANNA}*`);
    await page.locator('.message-text', { hasText: 'Hello' }).waitFor();
    await page.keyboard.press('k');
    await page.waitForURL('**/console/inbox/*/6281211110002*');
    await by('chat-resolve').getByText('Resolve').waitFor();
    await page.keyboard.press('e');
    await by('chat-resolve').getByText('Reopen').waitFor();
    await page.keyboard.press('r');
    await page.getByText('Reply to: Hello from Budi').waitFor();
    // Whoever types means letters.
    await page.keyboard.type('je');
    assert.equal(await by('composer').inputValue(), 'je');
    await by('chat-resolve').getByText('Reopen').waitFor();
    await page.getByRole('button', { name: 'Cancel reply' }).focus();
    await page.keyboard.press('/');
    await page.locator('[data-testid="filter-search"]:focus').waitFor();
    await openAccount(window);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await by('key-list').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await page.keyboard.press('Control+k');
    await by('palette').waitFor();
    assert.equal(await by('chat-resolve').textContent(), 'Reopen');

    // Keys that the user presses while the palette loads are typed into it, and trigger no shortcuts.
    await page.reload();
    await by('chat-resolve').waitFor();
    await openAccount(window);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByLabel('Single-key shortcuts').check();
    await page.keyboard.press('Escape');
    await by('key-list').waitFor({ state: 'detached' });
    await page.route('**/*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('anna');
    await by('palette').getByRole('option').filter({ hasText: '+62 812' }).waitFor();
    assert.equal(await by('palette').getByRole('combobox').inputValue(), 'anna');
    assert.deepEqual(window.faults, []);
  });

  it("hides other businesses' data, uses the browser's language, and does not allow links to other sites", {
    timeout: 600_000,
  }, async (t) => {
    const { node, call, device } = await aLinkedBusiness(t, embedded);
    await write(node, ANNA, 'Only for Acme');
    const chat = await until('a chat', async () => (await call('GET', '/v1/inbox')).body.chats[0]?.chat_id);
    const campaign = { session_id: device, name: 'Only for Acme', message_type: 'text', body: 'x', recipients: [{ phone: `+${ANNA}` }] };
    const { id } = (await call('POST', '/v1/blasts', campaign)).body;

    const stranger = await aWindow(t, node.url, { locale: 'id-ID' });
    const { page, by, open } = stranger;
    await signUpIn(stranger, node, STRANGER);
    assert.deepEqual([await page.locator('html').getAttribute('lang'), await by('theme').inputValue()], ['id', 'system']);
    for (const path of [`/devices/${device}`, `/inbox/${device}/${encodeURIComponent(chat)}`, `/campaigns/${id}`]) {
      await open(path);
      await page.getByRole('alert').first().waitFor();
      assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /Only for Acme|Front desk/, path);
      assert.deepEqual(await barriers(page), [], path);
    }
    for (const path of [
      '/devices/%3Cscript%3E',
      '/analytics?days=1e9&by=<script>',
      '/audit?action=%3Cimg%3E&before=x&before_id=y',
      '/contacts?q=%00',
    ])
      await open(path);
    for (const next of [
      '//elsewhere.example/',
      '/\\elsewhere.example',
      'https://elsewhere.example/console/',
      'javascript:alert(1)',
      '/console/../v1/me',
    ]) {
      await page.goto(`${node.url}/console/sign-in?next=${encodeURIComponent(next)}`);
      await page.waitForURL(`${node.url}/console/`);
    }
    await openAccount(stranger);
    await by('language').selectOption('en');
    await by('theme').selectOption('dark');

    // Who has no camera types a code on the phone.
    await open('/devices');
    assert.deepEqual([await page.locator('html').getAttribute('lang'), await by('theme').inputValue()], ['en', 'dark']);
    await by('new-device').click();
    await page
      .locator('details', { has: by('pairing-phone') })
      .locator('summary')
      .click();
    await by('pairing-phone').fill(`+${STRANGER}`);
    await by('pairing-submit').click();
    const code = ((await by('pairing-code').textContent()) ?? '').trim();
    const scan = await calling(node.url, {})('POST', `/sandbox/phones/${STRANGER}/scan`, { pairing_code: code });
    assert.equal(scan.status, 200, JSON.stringify(scan.body));
    await until('it is connected', async () => (await by('device-status').getAttribute('data-status')) === 'connected');
    // A phone whose account has a passkey: it is another site's, so something else answers, and the page goes on.
    const sandbox = present(node.sandbox, 'the sandbox');
    sandbox.phone(SHY).set({ passkey: true });
    const theirs = await callIn(stranger);
    const { id: shy } = (await theirs('POST', '/v1/sessions', {})).body;
    await open(`/devices/${shy}`);
    await by('link-qr').waitFor();
    sandbox.phone(SHY).scan({ qr: await readCode(by('link-qr')) });
    await page.getByText('Without the extension').click();
    await by('passkey-answer').fill('not an answer');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByRole('alert').getByText('from { to }').waitFor();
    assert.deepEqual(await barriers(page), [], 'a passkey');
    const { options, ceremony } = (await theirs('GET', `/v1/sessions/${shy}/passkey`)).body;
    assert.equal(await by('passkey-link').inputValue(), ceremony.url);
    await by('passkey-answer').fill(`'${JSON.stringify(credentialFor(options.challenge))}'`);
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByText('Compare this code').waitFor();
    await page
      .locator('.pairing-code')
      .getByText(/^\w{4}-\w{4}$/)
      .waitFor();
    await page.getByRole('button', { name: 'The codes match' }).click();
    await until('it is connected', async () => (await by('device-status').getAttribute('data-status')) === 'connected');
    assert.deepEqual(stranger.faults, []);
  });

  it('shows an error when loading fails, and lets the user retry', async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by } = window;
    await signUpIn(window, node, OWNER);
    await page.route('**/v1/sessions', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: '{"error":"<img src=x onerror=alert(1)>","code":"UNAVAILABLE"}',
      }),
    );
    await page.goto(`${node.url}/console/devices`);
    const alert = page.locator('main').getByRole('alert');
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? '', /<img src=x onerror=alert\(1\)>/);
    await page.locator('main[aria-busy="false"]').waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.unroute('**/v1/sessions');
    await by('retry').click();
    await page.getByText('No devices yet').waitFor();
    assert.deepEqual(window.faults, []);
  });
});
