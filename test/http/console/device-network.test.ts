import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { present } from '../../../runtime/invariant.ts';
import { barriers, closeBrowser, isWiderThanWindow, openAccount, whereChromiumIs } from '../../support/browser.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, HOSTILE, isLive, OWNER } from './linked-business.ts';

after(closeBrowser);

whereChromiumIs('the network page of a device', () => {
  it('loads when it is opened, and lets the owner manage groups and follow channels by invite link', {
    timeout: 600_000,
  }, async (t) => {
    const { node, window, call, device } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, rest] = new URL(request.url()).pathname.split(`/v1/sessions/${device}/`);
      if (rest && /^(capabilities|groups|channels)/.test(rest)) asked.push(rest);
    });
    await open(`/devices/${device}`);
    const [groups, channels] = [by('device-groups'), by('device-channels')];
    await groups.waitFor();
    assert.equal(asked.length, 0, `${asked}`);
    await channels.locator('summary').click();
    await page.getByText('This device has no channels').waitFor();
    const { code = '' } = present(node.sandbox, 'the sandbox').phone(ANNA).act({ act: 'create_channel', name: 'Offers' });
    await page.getByLabel('Channel invite').fill(`https://whatsapp.com/channel/${code}`);
    await page.getByLabel('Channel invite').press('Enter');
    await by('channel-row').getByText('Offers', { exact: true }).waitFor();
    assert.deepEqual(await barriers(page), [], 'channels');
    await groups.locator('summary').press('Enter');
    await page.getByText('This device is not in any group.').waitFor();
    await page.getByRole('button', { name: 'New group' }).click();
    await page.getByLabel('Name of the group').fill(HOSTILE);
    await page.getByLabel('Members').fill(`+${ANNA}\n`);
    await page.locator('dialog[open]').getByRole('button', { name: 'Add' }).click();
    await by('group-row').getByText('2 members').waitFor();
    await page.getByRole('button', { name: `Invite link of ${HOSTILE}` }).click();
    await by('group-row').getByText('https://').waitFor();
    assert.deepEqual(await barriers(page), [], 'groups');
    await page.getByRole('button', { name: `Leave ${HOSTILE}` }).click();
    await by('confirm').click();
    await by('group-row').waitFor({ state: 'detached' });
    // What others do there is shown as it happens.
    await isLive(window);
    present(node.sandbox, 'the sandbox')
      .phone(ANNA)
      .act({ act: 'create_group', subject: 'Neighbours', participants: [OWNER] });
    await by('group-row').getByText('Neighbours', { exact: true }).waitFor();

    // What waits on the device: the second of two that leave a minute apart.
    await page.locator('summary', { hasText: 'Name, proxy and presence' }).click();
    await by('device-settings').getByLabel('Name of the device').fill('Front desk');
    await by('device-settings').getByLabel('Shown to customers as').selectOption('online');
    await by('device-settings').getByText('the phone itself shows no notifications').waitFor();
    await by('device-settings').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor();
    const slow = { min_delay_ms: 60_000, max_delay_ms: 60_000 };
    await call('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: slow, warmup: { enabled: false } });
    for (const body of ['First', 'Second', 'Third'])
      await call('POST', `/v1/sessions/${device}/messages`, { chat_id: ANNA, type: 'text', body, priority: 5 });
    await page.reload();
    await by('queue-row').getByText('Third').waitFor();
    assert.deepEqual(await barriers(page), [], 'what waits');
    await by('queue-row').filter({ hasText: 'Third' }).getByRole('button').click();
    await by('queue-row').filter({ hasText: 'Third' }).waitFor({ state: 'detached' });
    // Acts without a window of their own are told as code, too.
    await openAccount(window);
    await by('done-as-code').click();
    const told = page.locator('dialog[open]');
    await told.getByText('curl -X POST').first().waitFor();
    assert.deepEqual(await told.getByRole('heading', { level: 3 }).allTextContents(), ['cancelMessage']);
    assert.deepEqual(await barriers(page), [], 'what was done, as code');
    await page.keyboard.press('Escape');
    await told.waitFor({ state: 'detached' });
    assert.ok(await by('done-as-code').evaluate((one) => one.matches(':focus')));
    // More than an answer lists: they are counted.
    const messages = Array.from({ length: 100 }, (_, nth) => ({ chat_id: ANNA, type: 'text', body: `Offer ${nth}` }));
    for (const _round of [1, 2, 3]) await call('POST', `/v1/sessions/${device}/messages/bulk`, { messages });
    await page.reload();
    await page.getByText(/^30[12] messages$/).waitFor();
    assert.ok((await by('queue-row').count()) <= 50);
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await by('confirm').click();
    await page.getByText('No messages are waiting.').waitFor();

    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    assert.equal(await by('sign-out').isVisible(), false);
    assert.ok(((await page.locator('header').boundingBox())?.height ?? 999) < 64, 'one row at the top of a phone');
    await by('account').click();
    await by('sign-out').waitFor();
    await by('language').selectOption('id');
    await page.getByText('Nama, proksi, dan kehadiran').waitFor();
    await by('language').selectOption('en');
    assert.deepEqual(await barriers(page), [], 'the account of a narrow window');
    assert.equal(await isWiderThanWindow(page), false);

    // An account without channels: its reason stands there, and nobody asks for them.
    await page.route('**/capabilities', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), channels: { available: false, reason: 'Not for you.' } } });
    });
    await page.reload();
    asked.length = 0;
    await channels.locator('summary').click();
    await page.getByText('Not for you.').waitFor();
    assert.ok(!asked.some((path) => path.startsWith('channels')), `${asked}`);
    assert.deepEqual(window.faults, []);
  });

  it('explains in both languages why the network refused the device, and what to do', { timeout: 600_000 }, async (t) => {
    const { node, window, device } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    await open(`/devices/${device}`);
    await by('device-status').getByText('Connected', { exact: true }).waitFor();
    assert.equal(await by('device-reason').count(), 0);
    present(node.sandbox, 'the sandbox').device(OWNER).fault({ kind: 'outdated', forMs: 60_000 });
    const why = by('device-reason');
    await why.getByText('no longer accepts this version of the gateway. Ask the operator').waitFor();
    assert.deepEqual(await barriers(page), []);
    await openAccount(window);
    await by('language').selectOption('id');
    await why.getByText('tidak lagi menerima versi gateway ini. Minta operator').waitFor();
    await open('/devices');
    await page.getByText('Perlu diperbarui').waitFor();
  });
});
