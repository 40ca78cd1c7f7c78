import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, closeBrowser, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, linked, write } from './linked-business.ts';

const DAY_MS = 86_400_000;

/** The business is in Jakarta, as its phone number says. At no time of the year do both clocks agree. */
const HERE = 'America/New_York';

const clockIn = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(at);
const dayIn = (at: number, timeZone: string): string => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(at);

after(closeBrowser);

whereChromiumIs('the console in a browser of another time zone than the business', () => {
  it('shows and reads all times in the time zone of the business', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url, { timezoneId: HERE });
    const { call, device } = await linked(window, present(node.sandbox, 'the sandbox'));
    await call('PUT', '/v1/settings', { send_window: { enabled: false } });
    const { page, by, open } = window;
    const dialog = page.locator('dialog[open]');

    await write(node, ANNA, 'When do you open?');
    await open('/inbox');
    await by('chat-row').click();
    const [chat] = (await call('GET', '/v1/inbox')).body.chats;
    const arrived = clockIn(chat.last_message_at, 'Asia/Jakarta');
    assert.equal(await by('message-row').locator('time').textContent(), arrived);
    await page.locator('.day', { hasText: 'Today' }).waitFor();
    assert.equal(await by('chat-row').locator('time').textContent(), arrived);

    await by('snooze-tomorrow').click();
    await by('chat-snoozed').waitFor();
    const path = `/v1/sessions/${device}/chats/${encodeURIComponent(chat.chat_id)}`;
    const { snoozed_until: until8 } = (await call('GET', path)).body;
    const tomorrow = dayIn(Date.now() + DAY_MS, 'Asia/Jakarta');
    assert.equal(until8, Date.parse(`${tomorrow}T08:00+07:00`));
    await by('chat-snoozed').getByText('08:00').waitFor();

    const day = dayIn(Date.now() + 30 * DAY_MS, 'Asia/Jakarta');
    const nine = `${day}T09:00`;
    await by('composer').fill('We open at eight.');
    await by('composer-later').click();
    await dialog.getByText('In Jakarta time.').waitFor();
    await dialog.getByLabel('Send at').fill(nine);
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    const [later] = await until('it is scheduled', async () => {
      const { scheduled } = (await call('GET', `/v1/sessions/${device}/scheduled`)).body;
      return scheduled.length > 0 && scheduled;
    });
    assert.equal(later.scheduled_at, Date.parse(`${nine}+07:00`));
    await open('/later');
    await by('scheduled-row').getByText('09:00').waitFor();

    await open('/campaigns/new');
    await by('campaign-name').fill('Opening');
    await by('campaign-recipients').fill('+6281211110002');
    await by('campaign-next').click();
    await by('campaign-body').fill('Hi');
    await by('campaign-next').click();
    await page.getByLabel('At a set time').check();
    await page.getByText('In Jakarta time.').waitFor();
    await page.getByLabel('Time', { exact: true }).fill(nine);
    await page.locator('dd', { hasText: '09:00' }).first().waitFor();
    await by('campaign-next').click();
    await by('campaign-attest').check();
    await by('campaign-start').click();
    await by('campaign-progress').waitFor();
    await page.getByText(/^Starts .* 09:00\.$/).waitFor();
    const [campaign] = (await call('GET', '/v1/blasts')).body.blasts;
    assert.equal(campaign.scheduled_at, Date.parse(`${nine}+07:00`));

    await open('/privacy');
    await page.getByRole('button', { name: 'Hold all data' }).click();
    await dialog.getByLabel('Reason').fill('A dispute');
    await dialog.getByLabel('Until').fill(nine);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^All data is kept until .* 09:00: A dispute$/).waitFor();
    assert.equal((await call('GET', '/v1/privacy')).body.hold.until, Date.parse(`${nine}+07:00`));

    // The pages follow a change of the setting at once; with the browser's own zone, its name is not shown.
    await call('PATCH', path, { snoozed_until: null });
    await open('/settings/business');
    await page.getByLabel('Time zone').selectOption(HERE);
    await by('save').click();
    await by('save-bar').waitFor({ state: 'detached' });
    await page.locator('nav').getByRole('link', { name: 'Inbox' }).click();
    await by('chat-row').click();
    const here = clockIn(chat.last_message_at, HERE);
    await by('message-row').locator('time', { hasText: here }).waitFor();
    await by('composer').fill('We open at eight.');
    await by('composer-later').click();
    await dialog.getByLabel('Send at').waitFor();
    assert.equal(await dialog.getByText('time.').count(), 0);
    assert.deepEqual(window.faults, []);
  });
});
