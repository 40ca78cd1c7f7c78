import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { until } from '../../support/console.ts';
import { calling } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';
import { aLinkedBusiness, OWNER } from './linked-business.ts';

const RECIPIENTS = '+62 812-1111-0001, Anna Wijaya\n\n6281211110002\n+6281211110001,Anna again';

after(closeBrowser);

whereChromiumIs('campaigns in the console', () => {
  it('can be created, started after the owner confirms consent, and followed until they finish', { timeout: 600_000 }, async (t) => {
    const { node, window, call, device } = await aLinkedBusiness(t, embedded);
    await call('PUT', '/v1/settings', {
      send_window: { enabled: false },
      pacing: { min_delay_ms: 0, max_delay_ms: 0 },
      warmup: { enabled: false },
    });
    await call('POST', '/v1/attributes', { key: 'city', label: 'City', type: 'text' });
    const { page, by, open } = window;
    await open('/campaigns');
    assert.deepEqual(await barriers(page), [], 'empty');
    await page.locator('main').getByRole('link', { name: 'New campaign' }).click();
    await by('campaign-name').fill('Opening');
    await by('campaign-recipients').fill(RECIPIENTS);
    assert.notEqual(await by('campaign-device').inputValue(), '', 'the only device is chosen');
    await by('campaign-count').filter({ hasText: '2 people will get this message' }).waitFor();
    await by('campaign-skipped').and(page.locator('[data-reason="duplicate"]')).waitFor({ state: 'detached' });
    assert.deepEqual(await barriers(page), [], 'who');
    await by('campaign-next').click();
    await by('campaign-body').fill('Hi {{first_name|there}}, we open <b>today</b>.');
    await by('campaign-preview').getByText('Hi Anna, we open <b>today</b>.').waitFor();
    await by('sample-next').click();
    await by('campaign-preview').getByText('Hi there, we open').waitFor();
    await by('campaign-body').fill('Hi {{first_name|there}} {nmae}, we open <b>today</b>.');
    await by('campaign-token-error').getByText('{nmae}').waitFor();
    assert.deepEqual(await barriers(page), [], 'an unknown field');
    await by('campaign-next').click();
    await by('campaign-token-error').getByRole('button', { name: 'Remove it' }).click();
    assert.equal(await by('campaign-body').inputValue(), 'Hi {{first_name|there}}, we open <b>today</b>.');
    await by('campaign-token-error').waitFor({ state: 'detached' });
    await by('campaign-body').fill('We open in {{City|town}}.');
    await by('campaign-token-error').getByRole('button', { name: 'Use {attr.city}' }).click();
    assert.equal(await by('campaign-body').inputValue(), 'We open in {{attr.city|town}}.');
    await by('campaign-body').fill('Hi {{first_name|there}}, we open <b>today</b>.');
    await by('campaign-token-error').waitFor({ state: 'detached' });
    await by('campaign-next').click();
    await page.getByText('Expected to finish').waitFor();
    assert.deepEqual(await barriers(page), [], 'when');
    await by('campaign-next').click();
    assert.equal(await by('campaign-start').isDisabled(), true);
    assert.deepEqual(await barriers(page), [], 'attest');
    await by('campaign-attest').check();
    await by('campaign-start').click();
    const progress = by('campaign-progress');
    await progress.waitFor();
    await until('it is over', async () => (await progress.getAttribute('data-status')) === 'completed');
    assert.deepEqual(
      [await progress.getAttribute('role'), await progress.getAttribute('aria-valuenow'), await progress.getAttribute('aria-valuemax')],
      ['progressbar', '2', '2'],
    );
    await until('both rows', async () => (await by('recipient-row').count()) === 2);
    assert.deepEqual(await barriers(page), [], 'over');
    const { body } = await calling(node.url, {})('GET', '/sandbox/phones/6281211110001/messages');
    assert.equal(body.messages[0].body, 'Hi Anna, we open <b>today</b>.');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    await page.setViewportSize({ width: 1_280, height: 800 });

    // The page says who got no message and why, and makes a draft for those whom another try can reach.
    const sandbox = calling(node.url, {});
    assert.equal((await sandbox('POST', `/sandbox/devices/${OWNER}/fault`, { kind: 'ack', code: 479, times: 1 })).status, 200);
    const two = {
      name: 'Twice',
      session_id: device,
      message_type: 'text',
      body: 'Hi',
      recipients: [{ phone: '+6281211110007' }, { phone: '12' }],
    };
    const refused = (await call('POST', '/v1/blasts', two)).body.id;
    await open(`/campaigns/${refused}`);
    await by('campaign-attest').check();
    await by('campaign-start').click();
    await until('it is over', async () => (await progress.getAttribute('data-status')) === 'completed');
    await by('campaign-why').getByText('Refused by the network (479)').waitFor();
    await by('campaign-why').getByText('Not a valid number').click();
    await until('one row', async () => (await by('recipient-row').count()) === 1);
    assert.deepEqual(await barriers(page), [], 'why not');
    await by('campaign-resend').click();
    await by('campaign-attest').check();
    await by('campaign-start').click();
    await until('sent again', async () => (await progress.getAttribute('data-status')) === 'completed');
    assert.equal((await sandbox('GET', '/sandbox/phones/6281211110007/messages')).body.messages.length, 1);

    // One that takes its time is paused, goes on, and is cancelled; its report is saved.
    await call('PUT', '/v1/settings', { pacing: { min_delay_ms: 60_000, max_delay_ms: 60_000 } });
    const recipients = [3, 4, 5, 6].map((nth) => ({ phone: `+628121111000${nth}` }));
    const slow = { name: 'Slow', session_id: device, message_type: 'text', body: 'Hi', recipients, consent_attested: true };
    const { id } = (await call('POST', '/v1/blasts', slow)).body;
    assert.equal((await call('POST', `/v1/blasts/${id}/start`, { consent_attested: true })).status, 200);
    await open(`/campaigns/${id}`);
    await by('campaign-pause').click();
    await by('campaign-resume').click();
    await by('campaign-pause').waitFor();
    const [report] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Report' }).click()]);
    assert.match(report.suggestedFilename(), /\.csv$/);
    await by('campaign-cancel').click();
    await by('confirm').click();
    await until('it is cancelled', async () => (await progress.getAttribute('data-status')) === 'cancelled');
    assert.deepEqual(window.faults, []);
  });

  it('can be scheduled after the owner confirms consent, and are not sent before the scheduled time', {
    timeout: 600_000,
  }, async (t) => {
    const { node, window, call } = await aLinkedBusiness(t, embedded);
    await call('PUT', '/v1/consent/config', { require_attestation: true });
    await call('PUT', '/v1/settings', { send_window: { enabled: false } });
    const { page, by, open } = window;
    await open('/campaigns/new');
    await by('campaign-name').fill('Tomorrow');
    await by('campaign-recipients').fill(RECIPIENTS);
    await by('campaign-next').click();
    await by('campaign-body').fill('Hi');
    await by('campaign-next').click();
    await page.getByLabel('At a set time').check();
    await by('campaign-next').click();
    await by('campaign-attest').check();
    await by('campaign-start').click();
    await by('campaign-progress').waitFor();
    await page.getByText(/^Starts .*\.$/).waitFor();
    const [planned] = (await call('GET', '/v1/blasts')).body.blasts;
    assert.deepEqual([planned.status, planned.total_recipients, planned.started_at], ['draft', 2, null]);
    assert.ok(planned.scheduled_at > Date.now());
    assert.notEqual(planned.consent_attested_at, null);
    const { body } = await calling(node.url, {})('GET', '/sandbox/phones/6281211110001/messages');
    assert.deepEqual(body.messages, []);
    assert.deepEqual(window.faults, []);
  });

  it('can include and exclude tags, and show which people were skipped', { timeout: 600_000 }, async (t) => {
    const { window, call } = await aLinkedBusiness(t, embedded);
    for (const name of ['regular', 'cakes', 'staff']) await call('POST', '/v1/tags', { name });
    for (const [phone, tags] of [
      ['+6281211110001', ['regular']],
      ['+6281211110002', ['cakes', 'regular']],
      ['+6281211110003', ['cakes', 'staff']],
      ['+6281211110004', []],
    ] as const)
      await call('POST', '/v1/contacts', { phone, tags });
    await call('PUT', '/v1/consent/6281211110001', { status: 'opted_out' });
    const { page, by, open } = window;
    await open('/campaigns/new');
    await by('campaign-name').fill('Cakes');
    const audience = by('campaign-audience');
    await audience.getByLabel('All contacts').check();
    await by('campaign-count').filter({ hasText: '3 people will get this message' }).waitFor();
    await audience.getByLabel('By tag').check();
    const chosen = page.getByRole('group', { name: 'Anyone with one of these tags' });
    await chosen.getByLabel('regular').check();
    await chosen.getByLabel('cakes').check();
    await page.getByRole('group', { name: 'Leave out people with one of these tags' }).getByLabel('staff').check();
    await by('campaign-count').filter({ hasText: '1 person will get this message' }).waitFor();
    await page.locator('[data-testid="campaign-skipped"][data-reason="opted_out"]').filter({ hasText: 'Opted out 1' }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    await page.setViewportSize({ width: 1_280, height: 800 });

    // A file goes with the text; the campaign is kept as a draft, edited, and loses the file again.
    await by('campaign-next').click();
    await by('campaign-body').fill('New cakes, {{first_name|there}}');
    await by('campaign-media').setInputFiles({ name: 'cakes.txt', mimeType: 'text/plain', buffer: Buffer.from('chiffon, layer cake') });
    await by('campaign-attached').getByText('cakes.txt').waitFor();
    await by('campaign-preview').getByText('New cakes, there').waitFor();
    assert.deepEqual(await barriers(page), [], 'a file');
    await by('campaign-next').click();
    await by('campaign-keep').click();
    await by('campaign-edit').waitFor();
    await page.getByText('Tags regular, cakes without staff').waitFor();
    const kept = (await call('GET', '/v1/blasts')).body.blasts[0];
    assert.deepEqual(
      [kept.status, kept.message_type, kept.caption, kept.tags, kept.exclude_tags],
      ['draft', 'document', 'New cakes, {{first_name|there}}', ['regular', 'cakes'], ['staff']],
    );
    await by('campaign-edit').click();
    await page.getByRole('heading', { name: 'Edit the draft', level: 1 }).waitFor();
    assert.equal(await by('campaign-name').inputValue(), 'Cakes');
    await by('campaign-name').fill('All cakes');
    await audience.getByLabel('All contacts').check();
    await by('campaign-next').click();
    await page.getByRole('button', { name: 'Remove the file' }).click();
    await by('campaign-next').click();
    await by('campaign-keep').click();
    await page.getByRole('heading', { name: 'All cakes', level: 1 }).waitFor();
    const [edited, ...others] = (await call('GET', '/v1/blasts')).body.blasts;
    assert.deepEqual(
      [edited.id, edited.name, edited.all_contacts, edited.message_type, edited.body, edited.media_r2_key, others.length],
      [kept.id, 'All cakes', true, 'text', 'New cakes, {{first_name|there}}', null, 0],
    );

    // A draft keeps its listed recipients.
    const listed = {
      name: 'Few',
      session_id: kept.session_id,
      message_type: 'text',
      body: 'Hi',
      recipients: [{ phone: '+6281211110009' }],
    };
    const { id } = (await call('POST', '/v1/blasts', listed)).body;
    await open(`/campaigns/new?draft=${id}`);
    await by('campaign-count').filter({ hasText: '1 person will get this message' }).waitFor();
    await by('campaign-next').click();
    await by('campaign-body').fill('Hi there');
    await by('campaign-next').click();
    await by('campaign-keep').click();
    await by('campaign-edit').waitFor();
    const few = (await call('GET', `/v1/blasts/${id}`)).body;
    assert.deepEqual([few.body, few.total_recipients], ['Hi there', 1]);
    assert.deepEqual(window.faults, []);
  });
});
