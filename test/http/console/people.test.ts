import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { present } from '../../../runtime/invariant.ts';
import { aWindow, barriers, closeBrowser, isWiderThanWindow, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { embedded } from '../../support/stores.ts';
import { aLinkedBusiness, callIn, OWNER } from './linked-business.ts';

/** As old spreadsheets write it. */
const FILE = Buffer.from(
  'Nama;Nomor HP;attr.kota;Ukuran sepatu\n"Anna; Renée";+6281211110001;Solo;38\nBudi;12;Solo;\n<img src=x onerror=alert(1)>;+6281211110003;Solo;\n',
  'latin1',
);

/** Two forms of the number of one account, as in countries that changed theirs. */
const REGISTERED = '6281211120001';
const DIALLED = '6281311120001';

after(closeBrowser);

whereChromiumIs('an owner in the console', () => {
  it('can import contacts by mapping columns, find a contact, and record consent', { timeout: 600_000 }, async (t) => {
    const node = await aServedConsole(t, embedded);
    const window = await aWindow(t, node.url);
    const { page, by, open } = window;
    await signUpIn(window, node, '6281100000009');
    await open('/contacts');
    assert.deepEqual(await barriers(page), [], 'empty');
    await by('contacts-import').click();
    await by('import-file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: FILE });
    await by('import-next').click();
    await page.getByText('Nomor HP').waitFor();
    const fields = await by('import-column').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-field')));
    assert.deepEqual(fields, ['name', 'phone', 'attr.kota', 'attr.Ukuran_sepatu']);
    // A column that nobody knows is kept as a new field, and the first rows show it; a column that is left out is not in them.
    const first = page.getByRole('region', { name: 'First rows as they will be saved' });
    await first.getByRole('columnheader', { name: 'Ukuran_sepatu' }).waitFor();
    await page.getByText('Creates the field Ukuran_sepatu').waitFor();
    await page.getByLabel('Save as: Ukuran sepatu').selectOption('');
    await first.getByRole('columnheader', { name: 'Ukuran_sepatu' }).waitFor({ state: 'detached' });
    await page.getByText('3 rows, 1 column left out').waitFor();
    assert.deepEqual(await barriers(page), [], 'columns');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false, 'columns on a phone');
    await page.setViewportSize({ width: 1_280, height: 800 });
    await by('import-start').click();
    await page.locator('[data-testid="import-result"][data-status="done"]').waitFor();
    await window.settled();
    await page.reload();
    await page.locator('[data-testid="import-result"][data-status="done"]').waitFor();
    assert.equal(await by('import-error').count(), 1);
    const became = by('import-decisions').getByRole('listitem');
    assert.deepEqual(await became.allTextContents(), ['NamaName', 'Nomor HPPhone number', 'attr.kotakota', 'Ukuran sepatuNot imported']);
    assert.deepEqual(await barriers(page), [], 'imported');
    await page.getByRole('link', { name: 'Done' }).click();
    await until('two contacts', async () => (await by('contact-row').count()) === 2);
    await by('filter-search').fill('Anna');
    await page.waitForURL('**?q=Anna');
    await until('one contact', async () => (await by('contact-row').count()) === 1);
    const [anna] = (await (await callIn(window))('GET', '/v1/contacts?q=Anna')).body.contacts;
    assert.deepEqual([anna.name, anna.attrs], ['Anna; Renée', { kota: 'Solo' }]);
    await by('contact-row').getByRole('link').click();
    await by('contact-opt-out').click();
    await by('confirm').click();
    await until('noted', async () => (await by('contact-consent').textContent()) === 'Opted out');
    await page.getByLabel('kota').fill('Bandung');
    await by('contact-save').click();
    await by('save-bar').waitFor({ state: 'detached' });
    assert.deepEqual((await (await callIn(window))('GET', `/v1/contacts/${anna.id}`)).body.attrs, { kota: 'Bandung' });
    assert.deepEqual(await barriers(page), [], 'a contact');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    assert.deepEqual(window.faults, []);
  });

  it('can tag, opt out and delete selected people, and separate people who were wrongly merged', { timeout: 600_000 }, async (t) => {
    const { node, window, call, device } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    for (const [nth, name] of ['Anna', '<b>Budi</b>', 'Citra'].entries())
      await call('POST', '/v1/contacts', { phone: `+628121111000${nth}`, name });
    await open('/contacts');
    const row = (name: string) => by('contact-row').filter({ hasText: name });
    await page.getByLabel('Choose Anna').check();
    await page.getByLabel('Choose <b>Budi</b>').check();
    await by('bulk-bar').getByText('2 selected').waitFor();
    assert.deepEqual(await barriers(page), [], 'two are chosen');
    await by('bulk-bar').getByRole('button', { name: 'Add a tag' }).click();
    await by('bulk-tag').fill('VIP');
    await page.keyboard.press('Enter');
    await row('Anna').getByText('VIP').waitFor();
    assert.equal(await row('Citra').getByText('VIP').count(), 0);
    await by('filter-tag').selectOption('VIP');
    await page.waitForURL('**?tag=VIP');
    await until('two people', async () => (await by('contact-row').count()) === 2);
    await page.getByLabel('Select everyone on this page').check();
    await by('bulk-bar').getByRole('button', { name: 'Opt out' }).click();
    await by('confirm').click();
    await by('bulk-bar').waitFor({ state: 'detached' });
    const consent = (await call('GET', `/v1/consent/history/${encodeURIComponent('+6281211110001')}`)).body;
    assert.equal(consent.current.status, 'opted_out');
    await row('Budi').getByText('Opted out').waitFor();
    await page.getByLabel('Choose Anna').check();
    await by('bulk-bar').getByRole('button', { name: 'Record opt-in' }).click();
    await by('confirm').click();
    await row('Anna').getByText('Opted in').waitFor();
    await page.getByLabel('Choose <b>Budi</b>').check();
    await by('bulk-bar').getByRole('button', { name: 'Delete' }).click();
    await by('confirm').click();
    await until('one person', async () => (await by('contact-row').count()) === 1);
    await page.setViewportSize({ width: 360, height: 640 });
    await page.getByLabel('Choose Anna').check();
    assert.equal(await isWiderThanWindow(page), false);
    await page.setViewportSize({ width: 1_280, height: 800 });

    // Two people whom the network named as one are two again, and one of them is written to from their page.
    await call('PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    const dialled = (await call('POST', '/v1/contacts', { phone: `+${DIALLED}`, name: 'Dewi', tags: ['cakes'] })).body.id;
    const kept = (await call('POST', '/v1/contacts', { phone: `+${REGISTERED}`, name: 'Eka' })).body.id;
    const phone = present(node.sandbox, 'the sandbox').phone(REGISTERED);
    phone.set({ numberForms: [DIALLED] });
    phone.write({ to: OWNER, content: { type: 'text', body: 'from the other number' } });
    await call('POST', `/v1/sessions/${device}/messages`, { chat_id: `+${DIALLED}`, type: 'text', body: 'Hello' });
    await until('they are one', async () => (await call('GET', `/v1/contacts/${dialled}`)).status === 404);
    phone.set({ numberForms: [] });
    await open(`/contacts/${kept}`);
    await by('contact-split').click();
    await by('split-numbers').fill(`+${DIALLED}`);
    assert.deepEqual(await barriers(page), [], 'the window that splits');
    await page.locator('dialog[open]').getByRole('button', { name: 'Split contact' }).click();
    await page.getByRole('heading', { name: 'Dewi', level: 1 }).waitFor();
    assert.equal(await by('contact-tags').inputValue(), 'cakes');
    await by('new-conversation').click();
    assert.equal(await by('recipient').inputValue(), `+${DIALLED}`);
    await by('first-message').fill('Hello Dewi');
    await page.keyboard.press('Tab');
    await page.locator('dialog[open]').getByRole('button', { name: 'Send' }).click();
    await page.locator('.message-text', { hasText: 'Hello Dewi' }).waitFor();
    assert.deepEqual(window.faults, []);
  });

  it('can create a segment with a live count, then change and delete it', { timeout: 600_000 }, async (t) => {
    const { window, call } = await aLinkedBusiness(t, embedded);
    const { page, by, open } = window;
    for (const [nth, name] of ['Anna', '<img src=x onerror=alert(1)>', 'Budi'].entries())
      await call('POST', '/v1/contacts', { phone: `+628121111000${nth}`, name, tags: nth < 2 ? ['VIP'] : [] });
    await open('/segments');
    await page.getByText('No segments yet').waitFor();
    assert.deepEqual(await barriers(page), [], 'no segments');
    const count = async (text: string): Promise<void> =>
      void (await until(text, async () => (await by('segment-count').textContent())?.includes(text)));
    await by('segment-new').press('Enter');
    await by('segment-name').fill('Regulars');
    await count('Fill in each rule');
    assert.equal(await by('segment-save').isDisabled(), true);
    await by('segment-value').selectOption('VIP');
    await count('2 contacts match');
    await count('<img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const second = by('segment-rule').nth(1);
    await second.getByLabel('Field').selectOption('name');
    await second.getByLabel('Condition').selectOption('contains');
    await second.getByLabel('Value').fill('ann');
    await count('1 contact matches');
    assert.deepEqual(await barriers(page), [], 'the builder');
    await page.setViewportSize({ width: 360, height: 640 });
    assert.equal(await isWiderThanWindow(page), false);
    await page.keyboard.press('Enter');
    await page.getByText('2 rules').waitFor();
    assert.deepEqual(await barriers(page), [], 'a list');
    await page.getByRole('button', { name: 'Edit Regulars' }).click();
    await page.getByLabel('Contacts that match').selectOption('any');
    await count('2 contacts match');
    await page.route('**/v1/segments/preview', (route) => route.abort());
    await page.getByRole('button', { name: 'Remove rule 1' }).click();
    await page.locator('dialog[open] [data-testid="retry"]').waitFor();
    await page.unroute('**/v1/segments/preview');
    await by('retry').click();
    await count('1 contact matches');
    await by('segment-save').click();
    await page.getByText('1 rule', { exact: true }).waitFor();
    const { segments } = (await call('GET', '/v1/segments')).body;
    assert.deepEqual(segments[0].rules, { any: [{ field: 'name', op: 'contains', value: 'ann' }] });
    await page.getByRole('button', { name: 'Delete Regulars' }).click();
    await by('confirm').click();
    await page.getByText('No segments yet').waitFor();
    assert.deepEqual(window.faults, []);
  });
});
