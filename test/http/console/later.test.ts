import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { calling } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, HOSTILE, isLive } from './linked-business.ts';

const NIGHT = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T21:30`;

const PDF = '%PDF-1.4\n%%EOF';
const A_MENU = { name: 'Menu', schedule_type: 'daily' };

after(closeBrowser);

whereChromiumIs('scheduled sends in the console', () => {
  it('can be created, changed, sent on time, repeated, and spread over several devices', {
    timeout: 600_000,
  }, async (t) => {
    const { node, window, call, device } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    const dialog = page.locator('dialog[open]');
    const press = (name: string): Promise<void> => page.locator('main').getByRole('button', { name, exact: true }).click();
    const pressIn = (name: string): Promise<void> => dialog.getByRole('button', { name, exact: true }).click();
    const looksWell = async (where: string): Promise<void> => {
      assert.deepEqual(await barriers(page), [], where);
      await page.setViewportSize({ width: 360, height: 640 });
      assert.equal(await isWiderThanWindow(page), false, where);
      await page.setViewportSize({ width: 1_280, height: 800 });
    };

    await open('/later');
    await page.getByText('Nothing is scheduled').waitFor();
    await press('Schedule a message');
    await dialog.getByLabel('Phone number').fill(`+${ANNA}`);
    await dialog.getByLabel('Text').fill(`Until tomorrow ${HOSTILE}`);
    await dialog.getByLabel('Send at').fill('2001-01-05T21:30');
    await pressIn('Save');
    await dialog.getByRole('alert').waitFor();
    await looksWell('scheduling a message');
    await dialog.getByLabel('Send at').fill(NIGHT);
    await dialog.getByLabel('Send at').press('Enter');
    await by('scheduled-row').getByText('Waiting for its time').waitFor();
    await press(`Edit the message to +${ANNA}`);
    assert.equal(await dialog.getByLabel('Send at').inputValue(), NIGHT);
    await dialog.getByLabel('Text').fill('Until Monday');
    await pressIn('Save');
    await by('scheduled-row').getByText('Until Monday', { exact: true }).waitFor();
    await page.getByLabel('Status').selectOption('Sent');
    await page.waitForURL('**status=sent');
    await page.getByText('No messages with this status').waitFor();
    await page.goBack();
    await by('scheduled-row').waitFor();
    await looksWell('scheduled messages');
    const { body: known } = await call('GET', `/v1/sessions/${device}/scheduled`);
    await isLive(window);
    await call('PATCH', `/v1/sessions/${device}/scheduled/${known.scheduled[0].id}`, { scheduled_at: Date.now() + 1_000 });
    await by('scheduled-row').getByText('Sent', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: `Delete the message to +${ANNA}` }).count(), 0, 'it has left');

    await page.locator('main').getByRole('link', { name: 'Recurring' }).click();
    await press('New recurring message');
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('To', { exact: true }).fill(`+${ANNA}\n`);
    await dialog.getByLabel('Text').fill('Fresh bred');
    await dialog.getByLabel('Day of the week').selectOption('Friday');
    await dialog.getByLabel('Time', { exact: true }).fill('07:30');
    await dialog.getByLabel('Time zone').fill('Asia/Jayapura');
    await looksWell('a recurring message');
    await pressIn('Save');
    await by('recurring-row').getByText('every Friday at 07:30 (Asia/Jayapura), to 1 chat').waitFor();
    await press(`Edit ${HOSTILE}`);
    await dialog.getByLabel('Text').fill('Fresh bread');
    const [change] = await Promise.all([page.waitForRequest((request) => request.method() === 'PATCH'), pressIn('Save')]);
    assert.deepEqual(change.postDataJSON(), { message: 'Fresh bread' }, 'its schedule is not told again');
    await by('recurring-row').getByText('Fresh bread', { exact: true }).waitFor();
    await press(`Edit ${HOSTILE}`);
    await dialog.getByLabel('Time zone').fill('');
    await pressIn('Save');
    await by('recurring-row').getByText('every Friday at 07:30 (Asia/Jakarta), to 1 chat').waitFor();
    await press(`Pause ${HOSTILE}`);
    await by('recurring-row').getByText('Paused').waitFor();
    await press(`Send now: ${HOSTILE}`);
    await by('confirm').click();
    await by('recurring-row').getByText('last on').waitFor();
    await looksWell('recurring messages');
    // It waits for its device's pace.
    const shown = async (): Promise<readonly string[]> => {
      const { body: inbox } = await calling(node.url, {})('GET', `/sandbox/phones/${ANNA}/messages`);
      return inbox.messages.map(({ body }: { body: string }) => body).sort();
    };
    while ((await shown()).length < 2) await page.waitForTimeout(100);
    assert.deepEqual(await shown(), ['Fresh bread', 'Until Monday']);
    const form = new FormData();
    form.append('file', new Blob([PDF], { type: 'application/pdf' }), 'menu.pdf');
    const { body: menu } = await call('POST', '/v1/media/upload', form);
    await call('POST', `/v1/sessions/${device}/recurring`, { ...A_MENU, targets: [ANNA], media_r2_key: menu.key });
    await page.reload();
    await by('recurring-row').getByText('A document', { exact: true }).waitFor();
    await press('Delete Menu');
    await by('confirm').click();
    await by('recurring-row').getByText('Menu', { exact: true }).waitFor({ state: 'detached' });
    await press(`Delete ${HOSTILE}`);
    await by('confirm').click();
    await page.getByText('No recurring messages').waitFor();

    const { id: second } = (await call('POST', '/v1/sessions', { name: 'Second desk' })).body;
    await open('/later?part=rotators');
    await press('New rotator');
    await dialog.getByLabel('Name').fill('Desks');
    assert.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true, 'one device has nobody to take turns with');
    for (const box of await dialog.getByRole('checkbox').all()) await box.check();
    await looksWell('a rotator');
    await pressIn('Save');
    await by('rotator-row').getByText('Second desk').waitFor();
    await page.locator('summary', { hasText: 'Send through the rotator' }).click();
    await page.getByLabel('Phone number').fill(`+${ANNA}`);
    await page.getByLabel('Text').fill('Through whoever is there');
    await page.getByLabel('Text').press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(/Accepted\. .* is sending it/).waitFor();
    await looksWell('rotators');
    await open(`/later?part=scheduled&session_id=${second}`);
    await page.getByText('Nothing is scheduled').waitFor();
    const place = { chat_id: ANNA, type: 'location', location: { lat: -6.2, lng: 106.8 }, scheduled_at: Date.now() + 86_400_000 };
    assert.equal((await call('POST', `/v1/sessions/${second}/scheduled`, place)).status, 201);
    await open(`/later?part=scheduled&session_id=${second}`);
    await by('scheduled-row').getByText('A location').waitFor();
    assert.deepEqual(window.faults, []);
  });
});
