import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, readCode, type Window, whereChromiumIs } from '../../support/browser.ts';
import { aServedCluster, signUpIn, until } from '../../support/console.ts';
import { calling } from '../../support/gateway.ts';
import { aLine } from '../../support/line.ts';
import { whereRedisIs } from '../../support/redis.ts';
import { realStores } from '../../support/stores.ts';
import { ANNA, callIn, isLive, OWNER } from './linked-business.ts';

const SECRET = 'the operator of the cluster';
const AT_ONCE = { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 }, warmup: { enabled: false } };

after(closeBrowser);

const nodeRow = ({ page }: Window, id: string): Locator => page.locator(`[data-testid="node-row"][data-node-id="${id}"]`);
const textsOf = ({ page }: Window): Promise<string[]> => page.locator('.message-text').allTextContents();

function tell(): void {
  it("keep the owner's console working while the operator moves a device, drains a node and stops it", {
    timeout: 600_000,
  }, async (t) => {
    const { nodes, sandbox, stop } = await aServedCluster(t);
    const line = await aLine(t, nodes[0].url);
    const owner = await aWindow(t, line.url);
    const { by, page } = owner;

    // The owner links a phone, is written to, answers, and writes to many.
    await signUpIn(owner, { sandbox }, OWNER);
    await owner.open('/devices');
    await by('new-device').click();
    await by('link-qr').waitFor();
    sandbox.phone(OWNER).scan({ qr: await readCode(by('link-qr')) });
    await until('it is connected', async () => (await by('device-status').getAttribute('data-status')) === 'connected');
    const device = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const call = await callIn(owner);
    await call('PUT', '/v1/settings', AT_ONCE);
    await owner.open('/campaigns/new');
    await by('campaign-name').fill('Opening');
    await by('campaign-recipients').fill(`+${ANNA},Anna`);
    await by('campaign-next').click();
    await by('campaign-body').fill('We open today, {{first_name}}.');
    await by('campaign-next').click();
    await by('campaign-next').click();
    await by('campaign-attest').check();
    await by('campaign-start').click();
    await until('it is over', async () => (await by('campaign-progress').getAttribute('data-status')) === 'completed');
    await owner.open('/inbox');
    await isLive(owner);
    const write = (body: string): unknown => sandbox.phone(ANNA).write({ to: OWNER, content: { type: 'text', body } });
    const answer = async (text: string): Promise<void> => {
      await by('composer').fill(text);
      await by('composer').press('Enter');
      const row = page.locator('[data-testid="message-row"][data-status="read"]', { hasText: text });
      await row.waitFor();
    };
    write('Until when?');
    await by('chat-row').filter({ hasText: 'Until when?' }).click();
    await answer('Until eight');

    // A second phone is on its way to be linked: such a device stays where it is.
    const { id: other } = (await call('POST', '/v1/sessions', { name: 'Second desk' })).body;
    await call('POST', `/v1/sessions/${other}/connect`);
    const qr = await until('a code', async () => (await call('GET', `/v1/sessions/${other}/qr`)).body.qr);

    const admin = calling(nodes[0].url, { 'x-admin-secret': SECRET });
    const busy = await until('it runs', async () => {
      const { sessions }: { sessions: { id: string; node: string | null }[] } = (await admin('GET', '/v1/admin/sessions')).body;
      return sessions.find(({ id }) => id === other)?.node;
    });
    const [drained, stays, free] = busy === 'n1' ? [nodes[0], nodes[1], 'n2'] : [nodes[1], nodes[0], 'n1'];
    line.leadTo(drained.url);
    line.cut();
    await isLive(owner);

    const operator = await aWindow(t, stays.url);
    await operator.open('/operator/cluster');
    await operator.by('admin-secret').fill(SECRET);
    await operator.by('admin-secret').press('Enter');
    const placed = (id: string): Locator => operator.page.locator(`[data-testid="placed-device"][data-device-id="${id}"]`);
    const isOn = (id: string, node: string): Promise<unknown> =>
      until(`${id} is on ${node}`, async () => (await placed(id).getAttribute('data-node')) === node);

    // Moves the owner's device to the node that will be drained.
    await placed(device).getByTestId('device-move').click();
    await operator.page.locator('dialog[open] select').selectOption(busy);
    assert.deepEqual(await barriers(operator.page), [], 'moving a device');
    await operator.page.locator('dialog[open]').getByRole('button', { name: 'Move', exact: true }).click();
    await isOn(device, busy);
    await placed(device).getByText(`pinned to ${busy}`).waitFor();
    await answer('Or nine');

    // The page counts from what it saw of the node last.
    await nodeRow(operator, busy).and(operator.page.locator('[data-devices="2"]')).waitFor();
    await nodeRow(operator, busy).getByTestId('node-drain').click();
    await nodeRow(operator, busy).getByText('1 of 2 devices moved').waitFor();
    await isOn(device, free);
    assert.deepEqual(await barriers(operator.page), [], 'draining');
    await operator.page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(operator.page), false);
    await operator.page.setViewportSize({ width: 1_280, height: 800 });
    await answer('Or ten');

    // It is taken back, and drained again.
    await nodeRow(operator, busy).getByTestId('node-undrain').click();
    await nodeRow(operator, busy).and(operator.page.locator('[data-state="active"]')).waitFor();
    await nodeRow(operator, busy).getByTestId('node-drain').click();
    sandbox.phone('6281100000007').scan({ qr });
    await nodeRow(operator, busy).getByText(`Safe to stop: nothing is running on ${busy} anymore.`).waitFor();
    assert.equal(await nodeRow(operator, busy).getAttribute('data-devices'), '0');
    await isOn(other, free);
    await answer('Or eleven');

    // It ends; what is written meanwhile goes on at the other one.
    await stop(drained);
    await by('banner').waitFor();
    await by('composer').fill('Or midnight');
    await by('composer').press('Enter');
    await page.locator('[data-testid="message-row"][data-status="waiting"]').waitFor();
    write('Thank you');
    line.leadTo(stays.url);
    await isLive(owner);
    await page.locator('.message-text', { hasText: 'Thank you' }).waitFor();
    await until('it left', async () => (await page.locator('[data-status="waiting"]').count()) === 0);
    await nodeRow(operator, busy).waitFor({ state: 'detached' });
    const said = ['We open today, Anna.', 'Until when?', 'Until eight', 'Or nine', 'Or ten', 'Or eleven', 'Or midnight', 'Thank you'];
    assert.deepEqual((await textsOf(owner)).sort(), said.sort());
    const got = sandbox.phone(ANNA).messages(100).length;
    assert.equal(got, said.length - 2, 'nothing went twice');
    assert.deepEqual([...owner.faults, ...operator.faults], []);
  });
}

for (const { name } of realStores)
  if (name === 'mongodb') whereRedisIs('two nodes behind a browser', () => whereChromiumIs('on MongoDB', tell));
