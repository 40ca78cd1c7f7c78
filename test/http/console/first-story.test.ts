import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, closeBrowser, readCode, tabTo, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, codeFor, signUpIn, until } from '../../support/console.ts';
import { eachStore, embedded } from '../../support/stores.ts';

const OWNER = '6281200000001';
const CUSTOMER = '6281211110001';

after(closeBrowser);

whereChromiumIs('sign-up in a browser', () => {
  eachStore('sign-up', (kind) => {
    it('creates an account and links a phone with the code on the screen', async (t) => {
      const node = await aServedConsole(t, kind);
      const window = await aWindow(t, node.url);
      const { by, page, faults } = window;
      await signUpIn(window, node, OWNER);
      await window.settled();
      assert.match((await page.locator('h1').textContent()) ?? '', /^Good \w+, Toko Acme$/);
      await page.getByRole('link', { name: 'Devices' }).first().click();
      await by('new-device').click();
      await by('link-qr').waitFor();
      const qr = await readCode(by('link-qr'));
      present(node.sandbox, 'the sandbox').phone(OWNER).scan({ qr });
      await until('it is connected', async () => (await by('device-status').getAttribute('data-status')) === 'connected');
      assert.equal(await by('live').getAttribute('data-state'), 'live');
      assert.deepEqual(faults, []);
    });
  });

  it('can be completed with the keyboard alone, using the sandbox phone in the corner', async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { by, page, faults, open } = window;
    const bare: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const isWhole = request.headers()['x-lang'] === 'en' && (request.method() !== 'POST' || request.headers()['idempotency-key']);
      if (pathname.startsWith('/v1/') && pathname !== '/v1/events' && !isWhole) bare.push(`${request.method()} ${pathname}`);
    });
    const type = async (testId: string, text: string): Promise<void> => {
      await tabTo(page, by(testId));
      await page.keyboard.type(text);
    };
    const press = async (testId: string): Promise<void> => {
      await by(testId).waitFor();
      await tabTo(page, by(testId));
      await page.keyboard.press('Enter');
    };
    await open('/sign-up?next=/console/devices');
    await type('sign-up-name', 'Toko Acme');
    await type('sign-in-phone', `+${OWNER}`);
    await page.keyboard.press('Enter');
    await by('sign-in-code').waitFor();
    assert.equal(await by('sandbox-number').inputValue(), `+${OWNER}`);
    const code = await codeFor(node, OWNER);
    await by('sandbox-phone').getByText(code).waitFor();
    await type('sign-in-code', code);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${node.url}/console/devices`);
    await press('new-device');
    await press('sandbox-scan');
    await until('it is connected', async () => (await by('device-status').getAttribute('data-status')) === 'connected');
    // A customer writes from the corner, and is answered.
    await tabTo(page, page.locator('nav').getByRole('link', { name: 'Inbox' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/inbox');
    await press('sandbox-toggle');
    await tabTo(page, by('sandbox-number'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`+${CUSTOMER}`);
    await type('sandbox-say', 'Are you open?');
    await page.keyboard.press('Enter');
    await press('chat-row');
    await type('composer', 'Until eight');
    await page.keyboard.press('Enter');
    await by('sandbox-phone').getByText('Until eight').waitFor();
    await press('account');
    await press('sign-out');
    await page.waitForURL(`${node.url}/console/sign-in`);
    assert.deepEqual(bare, [], 'each call tells its language, and each change has a key');
    assert.deepEqual(faults, []);
  });
});
