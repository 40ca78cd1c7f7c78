import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, type Window, whereChromiumIs } from '../../support/browser.ts';
import { codeFor, until } from '../../support/console.ts';
import { eachStore, embedded } from '../../support/stores.ts';
import { ANNA, aLinkedBusiness, HOSTILE, isLive, OWNER, write } from './linked-business.ts';

const rows = ({ by }: Window, text: string) => by('message-row').filter({ hasText: text });
const textsOf = (window: Window): Promise<string[]> => window.page.locator('.message-text').allTextContents();

whereChromiumIs('the inbox', () => {
  after(closeBrowser);

  eachStore("an owner's inbox", (kind) => {
    it('shows messages as they arrive, sends replies, and misses no messages after an outage', { timeout: 600_000 }, async (t) => {
      const { node, window, call, device } = await aLinkedBusiness(t, kind);
      const { page, by, open } = window;
      await open('/inbox');
      assert.deepEqual(await barriers(page), [], 'empty');
      await isLive(window);
      await write(node, ANNA, 'Is it still open?');
      await write(node, '6281211110002', HOSTILE);
      await until('two chats', async () => (await by('chat-row').count()) === 2);
      assert.equal(await by('chat-row').filter({ hasText: HOSTILE }).count(), 1, 'what strangers write stays text');

      await by('chat-row').filter({ hasText: 'still open' }).click();
      await rows(window, 'still open').waitFor();
      await call('PATCH', `/v1/sessions/${device}`, { presence: 'auto' });
      await until('she is seen to write', async () => {
        present(node.sandbox, 'the sandbox').phone(ANNA).act({ act: 'typing', to: OWNER });
        return (await by('chat-row').getByText('typing…').count()) === 1;
      });
      assert.ok((await page.title()).startsWith('+62 812 1111 0001'), await page.title());
      await by('composer').fill('Yes,');
      await by('composer').press('Shift+Enter');
      await by('composer').pressSequentially('until eight');
      await by('composer').press('Enter');
      await page.locator('[data-testid="message-row"][data-direction="outbound"][data-status="read"]').waitFor();
      assert.deepEqual(await textsOf(window), ['Is it still open?', 'Yes,\nuntil eight']);
      assert.equal(await by('composer').inputValue(), '');

      // The line is cut, and things go on.
      await page.context().setOffline(true);
      await node.http.listener.closeAllConnections?.();
      await by('banner').waitFor();
      await by('composer').fill('Written without a line');
      await by('composer').press('Enter');
      await page.locator('[data-testid="message-row"][data-status="waiting"]').waitFor();
      await by('composer').fill('A draft');
      await write(node, ANNA, 'Are you there?');
      await write(node, '6281211110003', 'Somebody new');
      const stops = await call('PUT', `/v1/consent/${encodeURIComponent(`+${ANNA}`)}`, { status: 'opted_out' });
      assert.equal(stops.status, 200, JSON.stringify(stops.body));
      // What was asked too often is no cut, and is asked again.
      let isTooOften = true;
      const refusal = { status: 429, headers: { 'retry-after': '1' }, json: { error: 'Too many', code: 'RATE_LIMITED' } };
      await page.route('**/v1/inbox?*', (route) => (isTooOften ? route.fulfill(refusal) : route.continue()));
      await page.context().setOffline(false);
      await isLive(window);
      isTooOften = false;
      await by('opt-out-warning').waitFor();
      await rows(window, 'Are you there?').waitFor();
      await until('it left', async () => (await page.locator('[data-status="waiting"]').count()) === 0);
      assert.equal(await by('banner').count(), 0);
      assert.deepEqual((await textsOf(window)).sort(), [
        'Are you there?',
        'Is it still open?',
        'Written without a line',
        'Yes,\nuntil eight',
      ]);
      await until('a third chat', async () => (await by('chat-row').count()) === 3);
      const { messages } = (await call('GET', `/v1/sessions/${device}/messages?direction=outbound`)).body;
      assert.equal(messages.length, 2, 'nothing went twice');

      await page.reload();
      await rows(window, 'Are you there?').waitFor();
      assert.equal(await by('composer').inputValue(), 'A draft');
      assert.deepEqual(await barriers(page), [], 'full');

      // The phone is off at first, then it has older messages.
      const simulated = present(node.sandbox, 'the sandbox');
      simulated.device(OWNER).form({ olderHistory: 3 });
      simulated.phone(OWNER).set({ online: false });
      const older = page.getByRole('button', { name: 'Load older messages' });
      await older.click();
      await page.getByText('The phone is looking for older messages.').waitFor();
      assert.ok(await older.isDisabled());
      simulated.phone(OWNER).set({ online: true });
      await rows(window, 'older 3').waitFor();
      await page.getByText('Start of the chat').waitFor();
      assert.deepEqual([await older.count(), (await textsOf(window))[0]], [0, 'older 3']);
      const byPhone = page.locator('[data-sender="phone"] .message-by');
      const { width = 0, height = 0 } = (await byPhone.boundingBox()) ?? {};
      assert.ok(width > 0 && width < 300 && height < 40, `who wrote it is a small line: ${width} × ${height}`);
      // The owner stars a message on the phone, and empties the chat.
      const path = `/v1/sessions/${device}/messages`;
      const { id } = present((await call('GET', `${path}?q=${encodeURIComponent('Are you there?')}`)).body.messages[0], 'the message');
      const { wa_message_id: netId } = (await call('GET', `${path}/${id}`)).body;
      simulated.phone(OWNER).act({ act: 'star', chat: ANNA, message_id: netId });
      simulated.phone(OWNER).act({ act: 'clear', chat: ANNA });
      const chat = async () => (await call('GET', `/v1/sessions/${device}/chats/${ANNA}`)).body;
      await until('the chat is empty on the phone', async () => (await chat()).cleared_until !== null);
      await page.reload();
      await by('chat-cleared').waitFor();
      assert.equal(await rows(window, 'Are you there?').getByTestId('message-starred').count(), 1);
      await page.setViewportSize({ width: 360, height: 640 });
      assert.equal(await isWiderThanWindow(page), false);
      assert.ok(await by('composer').isVisible());
      assert.deepEqual(window.faults, []);
    });
  });

  it('shares one stream between all tabs, and makes only calls that an agent may make', { timeout: 600_000 }, async (t) => {
    const { node, window, call } = await aLinkedBusiness(t, embedded);
    let streams = 0;
    window.page.context().on('request', (request) => {
      if (request.url().includes('/v1/events?ticket=')) streams += 1;
    });
    await window.open('/inbox');
    await isLive(window);
    await write(node, ANNA, 'Hello');
    await window.by('chat-row').waitFor();
    const before = streams;
    const tabs = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const page = await window.page.context().newPage();
        await page.goto(`${node.url}/console/inbox`);
        return page;
      }),
    );
    for (const page of tabs) await page.locator('[data-testid="live"][data-state="live"]').waitFor();
    await write(node, ANNA, 'To all of you');
    for (const page of tabs) await page.locator('[data-testid="chat-row"]', { hasText: 'To all of you' }).waitFor();
    assert.equal(streams, before);
    await window.page.close();
    await write(node, ANNA, 'And to those who are left');
    for (const page of tabs) await page.locator('[data-testid="chat-row"]', { hasText: 'And to those' }).waitFor();
    assert.equal(streams, before + 1);

    await call('POST', '/v1/agents', { name: 'Dewi', phone: '+6281311110001' });
    const agent = await aWindow(t, node.url);
    const refused: string[] = [];
    agent.page.on('response', (answer) => void (answer.status() === 403 && refused.push(answer.url())));
    await agent.open('/sign-in');
    await agent.by('sign-in-phone').fill('+6281311110001');
    await agent.by('sign-in-submit').click();
    await agent.by('sign-in-code').fill(await codeFor(node, '6281311110001'));
    await agent.by('sign-in-submit').click();
    await agent.page.waitForURL('**/console/inbox');
    await agent.page.locator('[data-testid="chat-row"]', { hasText: 'And to those' }).click();
    await agent.by('message-row').first().waitFor();
    await agent.by('chat-assign').click();
    await until('the chat is theirs', async () => /Unassign/.test((await agent.by('chat-assign').textContent()) ?? ''));
    await agent.open('/devices');
    await agent.by('not-allowed').waitFor();
    assert.deepEqual(refused, []);
    assert.deepEqual(agent.faults, []);
  });
});
