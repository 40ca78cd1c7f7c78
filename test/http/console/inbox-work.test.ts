import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, barriers, closeBrowser, goBy, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, isLive, linked, write } from './linked-business.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** How many files the browser keeps for us. */
const KEPT_FILES = `new Promise((resolve) => {
  const opening = indexedDB.open('console-files', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('files');
  opening.onsuccess = () => {
    const counting = opening.result.transaction('files').objectStore('files').count();
    counting.onsuccess = () => {
      opening.result.close();
      resolve(counting.result);
    };
  };
})`;

/** As if the browser kept a file of 200 MB of somebody else's. */
const A_LARGE_FILE = `new Promise((resolve) => {
  const opening = indexedDB.open('console-files', 1);
  opening.onsuccess = () => {
    const kept = { file: { size: 200 * 1024 * 1024 }, at: Date.now() };
    opening.result.transaction('files', 'readwrite').objectStore('files').put(kept, 'another:1').onsuccess = () => {
      opening.result.close();
      resolve();
    };
  };
})`;

/** The browser asks whether the page may listen: `allow` and `refuse` answer. */
const MICROPHONE = `{
  const listen = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  let sound;
  globalThis.start = MediaRecorder.prototype.start;
  navigator.mediaDevices.getUserMedia = (wanted) => new Promise((resolve, reject) => {
    globalThis.refuse = () => reject(new DOMException('Permission denied', 'NotAllowedError'));
    globalThis.allow = async () => {
      sound = await listen(wanted);
      resolve(sound);
    };
  });
  globalThis.isHeard = () => sound.getTracks().some(({ readyState }) => readyState === 'live');
}`;

/** What is recorded is silence. */
const NO_SOUND = `{
  const listen = MediaRecorder.prototype.addEventListener;
  MediaRecorder.prototype.addEventListener = function (type, ...rest) {
    if (type !== 'dataavailable') listen.call(this, type, ...rest);
  };
  delete navigator.mediaDevices.getUserMedia;
}`;

after(closeBrowser);

whereChromiumIs('the inbox in a browser', () => {
  it('supports templates, files, replies, edits, deletions, notes, tags and opt-outs', { timeout: 600_000 }, async (t) => {
    const { node, window, call, device } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    await call('POST', '/v1/templates', {
      name: 'Hours',
      message_type: 'text',
      body: 'We open at eight, {{name|friend}}.',
      language: 'en',
    });
    await open('/inbox');
    await isLive(window);
    await write(node, ANNA, 'When do you open?');
    await by('chat-row').click();
    await by('message-row').first().waitFor();

    await by('composer').pressSequentially('/hou');
    await page.getByRole('option', { name: 'Hours' }).waitFor();
    assert.deepEqual(await barriers(page), [], 'templates');
    await page.keyboard.press('Enter');
    await until('the text is there', async () => (await by('composer').inputValue()) === 'We open at eight, friend.');
    await by('composer-send').click();
    const ours = page.locator('[data-testid="message-row"][data-direction="outbound"]');
    await page.locator('[data-testid="message-row"][data-direction="outbound"][data-status="read"]').waitFor();

    await ours.first().getByRole('button').click();
    await by('message-why').getByText('It arrived and was read.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await by('edit-text').fill('We open\nat nine.');
    await by('edit-save').click();
    await until('it has two lines', async () => (await ours.first().locator('.message-text').textContent()) === 'We open\nat nine.');

    await page.locator('[data-direction="inbound"]').getByRole('button').click();
    await page.getByRole('button', { name: 'React 👍' }).click();
    await page.locator('.reactions', { hasText: '👍' }).waitFor();
    await page.locator('[data-direction="inbound"]').getByRole('button').click();
    await page.getByRole('button', { name: 'Reply' }).click();
    await by('composer').fill('An answer to that');
    await by('composer').press('Enter');
    await ours.filter({ hasText: 'An answer to that' }).locator('blockquote', { hasText: 'When do you open?' }).waitFor();

    await by('composer-file').setInputFiles({ name: 'menu.png', mimeType: 'image/png', buffer: PNG });
    await by('composer').fill('The menu');
    await by('composer-send').click();
    await ours.filter({ hasText: 'The menu' }).locator('img').waitFor();
    assert.match((await page.locator('.file img').getAttribute('src')) ?? '', /^blob:/);
    assert.deepEqual(await barriers(page), [], 'a picture');

    // A file that could not be sent yet goes on after a reload.
    await page.route('**/v1/media/upload', (route) => route.abort());
    await by('composer-file').setInputFiles({ name: 'prices.png', mimeType: 'image/png', buffer: PNG });
    await by('composer').fill('The prices');
    await by('composer-send').click();
    const waits = page.locator('[data-testid="message-row"][data-status="waiting"]').filter({ hasText: 'prices.png' });
    await waits.waitFor();
    await until('the browser keeps it', () => page.evaluate<number>(KEPT_FILES));
    await page.reload();
    await waits.waitFor();
    // A duplicated tab has the same message, and not its file once the first has sent it.
    const twin = await page.context().newPage();
    await twin.route('**/v1/media/upload', (route) => route.abort());
    await twin.goto(page.url());
    const copied = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    await twin.evaluate(`Object.assign(sessionStorage, ${copied})`);
    await twin.reload();
    const itsWaits = twin.locator(`[data-message-id="${await waits.getAttribute('data-message-id')}"]`);
    await itsWaits.waitFor();
    // The browser keeps no more than 200 MB.
    await page.evaluate(A_LARGE_FILE);
    await by('composer-file').setInputFiles({ name: 'offer.png', mimeType: 'image/png', buffer: PNG });
    await by('composer-send').click();
    const loose = page.locator('[data-testid="message-row"]').filter({ hasText: 'offer.png' });
    await loose.getByText('Keep this tab open').waitFor();
    await page.unroute('**/v1/media/upload');
    await page.evaluate('dispatchEvent(new Event("online"))');
    await itsWaits.waitFor({ state: 'detached' });
    await twin.locator('.message-text', { hasText: 'The prices' }).waitFor();
    await twin.close();
    await ours.filter({ hasText: 'The prices' }).locator('img').waitFor();
    await until('it left', async () => (await page.locator('[data-status="waiting"]').count()) === 0);
    await until('only the large one is kept', async () => (await page.evaluate<number>(KEPT_FILES)) === 1);

    const voice = by('composer-voice');
    await voice.click();
    await page.getByText('Recording.').waitFor();
    await voice.press('Escape');
    await page.getByText('Recording.').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('as a voice note').count(), 0, 'it was thrown away');
    // Stopped before any sound came, it is none.
    const record = (): Promise<unknown> =>
      until('something was recorded', async () => {
        await voice.click();
        await page.getByText('Recording.').waitFor();
        assert.ok(await by('composer-file').isDisabled(), 'no file takes the place of a recording');
        // A moment holds no sound that could be converted.
        await page.waitForTimeout(1_000);
        await voice.click();
        await page.getByText('Recording.').waitFor({ state: 'detached' });
        return page.getByLabel('as a voice note').count();
      });
    await record();
    assert.ok(await voice.isDisabled(), 'no recording takes the place of a file');
    await by('composer-file').setInputFiles({ name: 'song.mp3', mimeType: 'audio/mpeg', buffer: PNG });
    assert.equal(await page.getByLabel('as a voice note').isChecked(), false, 'another file is no voice note');
    await page.getByRole('button', { name: 'Remove the file' }).click();
    await record();
    assert.deepEqual(await barriers(page), [], 'a voice note');
    await by('composer').fill('Listen to this');
    await by('composer-send').click();
    await ours.getByRole('button', { name: 'Show voice' }).click();
    await ours.locator('audio').waitFor();
    const { body: log } = await call('GET', `/v1/sessions/${device}/messages?type=audio`);
    assert.equal(log.messages.length, 1);
    const { body: note } = await call('GET', `/v1/sessions/${device}/messages/${log.messages[0].id}`);
    assert.equal(note.media.voice_note, true);
    await until('what was typed beside it arrived', async () => {
      const { messages } = (await call('GET', `/v1/sessions/${device}/messages?type=text`)).body;
      return messages.some(({ body }: { body: string | null }) => body === 'Listen to this');
    });

    await ours.filter({ hasText: 'We open at nine.' }).getByRole('button').click();
    await page.getByRole('button', { name: 'Delete for everyone' }).click();
    await by('confirm').click();
    await ours.filter({ hasText: 'This message was deleted.' }).waitFor();

    await by('composer-note').click();
    await by('composer').fill('Likes <b>coffee</b>');
    await by('composer').press('Enter');
    await by('note-row').getByText('Likes <b>coffee</b>').waitFor();
    await by('tag-name').fill('VIP');
    await page.keyboard.press('Enter');
    const tag = page.getByRole('button', { name: 'Remove the tag VIP' });
    await tag.waitFor();
    await by('toast').getByText('Tag “VIP” added').waitFor();
    assert.deepEqual(await barriers(page), [], 'details');
    await by('undo').click();
    await tag.waitFor({ state: 'detached' });
    await by('chat-resolve').click();
    await by('toast').getByText('Chat resolved').waitFor();
    await by('undo').click();
    await until('it is open again', async () => (await by('chat-status').inputValue()) === 'open');
    await by('tag-name').fill('VIP');
    await page.keyboard.press('Enter');
    await tag.waitFor();
    await by('chat-status').selectOption('resolved');
    await by('filter-menu').click();
    await by('filter-status').selectOption('resolved');
    await page.waitForURL('**status=resolved');
    await by('chat-row').waitFor();
    await by('filter-status').selectOption('pending');
    await until('no chat', async () => (await by('chat-row').count()) === 0);
    await page.goBack();
    assert.equal(await by('filter-status').inputValue(), 'resolved');
    await page.keyboard.press('Escape');
    await by('filter-status').waitFor({ state: 'hidden' });

    await by('chat-opt-out').click();
    await by('confirm').click();
    await by('opt-out-warning').waitFor();
    assert.equal(await by('chat-opt-out').count(), 0);
    await call('PUT', `/v1/consent/${encodeURIComponent(`+${ANNA}`)}`, { status: 'opted_in' });
    await by('opt-out-warning').waitFor({ state: 'detached' });
    await by('chat-opt-out').waitFor();

    await write(node, ANNA, 'STOP');
    await by('opt-out-warning').waitFor();
    await call('PUT', '/v1/consent/config', { enforce_api: true });
    await by('composer').fill('To whom does not want it');
    await by('composer').press('Enter');
    const failed = page.locator('[data-testid="message-row"][data-status="failed"]');
    await failed.waitFor();
    await call('PUT', '/v1/consent/config', { enforce_api: false });
    await failed.locator('[data-testid="message-retry"]').click();
    await until('it left', async () => (await failed.count()) === 0);

    await page.evaluate(MICROPHONE);
    await voice.click();
    await page.evaluate('refuse()');
    await page.getByText('Allow microphone access').waitFor();
    await voice.click();
    await page.evaluate(
      'MediaRecorder.prototype.start = () => { MediaRecorder.prototype.start = start; throw new Error("no"); }; void allow()',
    );
    await page.getByText('The microphone does not work.').waitFor();
    assert.equal(await page.evaluate('isHeard()'), false, 'nobody listens');
    await page.evaluate(NO_SOUND);
    await voice.click();
    await page.getByText('Recording.').waitFor();
    await voice.click();
    await page.getByText('No sound was recorded.').waitFor();
    await page.evaluate(MICROPHONE);
    await voice.click();
    await goBy(page, 'API keys', 'Developers');
    await page.locator('main[aria-busy="false"] h1', { hasText: 'API keys' }).waitFor();
    await page.evaluate('allow()');
    await until('nobody listens to who left', async () => !(await page.evaluate('isHeard()')));

    assert.deepEqual(window.faults, []);
  });

  it('still shows a message as failed if a retry exceeds the quota again', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded, { plans: plansFrom({ free: { messages: 1 } }) });
    const window = await aWindow(t, node.url);
    await linked(window, present(node.sandbox, 'the sandbox'));
    const { page, by, open } = window;
    await open('/inbox');
    await isLive(window);
    await write(node, ANNA, 'Hello');
    await by('chat-row').click();
    for (const text of ['The first', 'The second']) {
      await by('composer').fill(text);
      await by('composer').press('Enter');
    }
    const row = by('message-row').filter({ hasText: 'The second' });
    await until('it is stopped', async () => (await row.getAttribute('data-status')) === 'failed');
    const answered = page.waitForResponse('**/retry');
    await row.locator('[data-testid="message-retry"]').click();
    await (await answered).finished();
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
    assert.equal(await row.getAttribute('data-status'), 'failed');

    await open('/');
    await page.locator('[data-testid="attention-row"][data-kind="failed_messages"]').getByRole('link').click();
    const listed = by('failed-row').filter({ hasText: 'The second' });
    await listed.getByText('quota').waitFor();
    assert.deepEqual(await barriers(page), [], 'failed messages');
    await listed.getByRole('link', { name: 'Open chat' }).click();
    await row.waitFor();
    assert.deepEqual(window.faults, []);
  });
});
