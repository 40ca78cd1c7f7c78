import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { pause, systemClock } from '../../runtime/clock.ts';

/**
 * Takes the screenshots of the browser console for docs/console.md. A new business signs up at a
 * running gateway on the sandbox network, links a phone and receives messages from three customers
 * before the screenshots are taken.
 */

const GATEWAY = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';
const PLACE = join(import.meta.dirname, '../../docs/pictures');
const OWNER = '6281200000001';
const COUNTER = '6281200000099';
const SHY = '6281300000009';

const CUSTOMERS = [
  { phone: '6281211110001', name: 'Ratna Dewi', says: ['Halo, apakah buka hari Minggu?', 'Mau pesan 2 kotak roti'] },
  { phone: '6281211110002', name: 'Andre', says: ['Where is my parcel?'] },
  { phone: '6281211110003', name: 'Budi Santoso', says: ['Terima kasih, rotinya enak sekali!'] },
];

const PAGES: readonly (readonly [name: string, path: string, look?: 'dark' | 'narrow'])[] = [
  ['home', '/'],
  ['devices', '/devices'],
  ['inbox-dark', '/inbox', 'dark'],
  ['inbox-phone', '/inbox', 'narrow'],
  ['campaign', '/campaigns/new'],
  ['contacts', '/contacts'],
  ['webhooks', '/webhooks'],
  ['settings', '/settings/window'],
  ['analytics', '/analytics', 'dark'],
  ['ai', '/ai'],
];

async function asked(path: string, body?: unknown): Promise<string> {
  const sent = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(GATEWAY + path, sent);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

async function codeOf(phone: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const [code] = /\b\d{6}\b/.exec(await asked(`/sandbox/phones/${phone}/messages`)) ?? [];
    if (code) return code;
    await pause(systemClock, 100);
  }
  throw new Error('the sandbox phone got no code');
}

const settled = (page: Page): Promise<void> => page.locator('main[aria-busy="false"], main:not([aria-busy])').first().waitFor();

async function signUp(page: Page): Promise<void> {
  const by = (id: string) => page.getByTestId(id);
  await page.goto(`${GATEWAY}/console/sign-up`);
  await by('sign-up-name').fill('Toko Acme');
  await by('sign-in-phone').fill(`+${OWNER}`);
  await by('sign-in-submit').click();
  await by('sign-in-code').fill(await codeOf(OWNER));
  await by('sign-in-submit').click();
  await page.waitForURL(`${GATEWAY}/console/`);
}

async function link(page: Page): Promise<void> {
  const by = (id: string) => page.getByTestId(id);
  await page.goto(`${GATEWAY}/console/devices`);
  await by('new-device').click();
  await by('link-qr').waitFor();
  await by('sandbox-number').fill(`+${COUNTER}`);
  await photograph(page, 'link');
  await by('sandbox-scan').click();
  await page.getByTestId('device-status').getByText('Connected', { exact: true }).waitFor();
}

async function change(phone: string, settings: unknown): Promise<void> {
  const changed = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(settings) };
  await fetch(`${GATEWAY}/sandbox/phones/${phone}`, changed);
}

async function askForPasskey(page: Page): Promise<void> {
  await change(SHY, { passkey: true });
  const by = (id: string) => page.getByTestId(id);
  await page.goto(`${GATEWAY}/console/devices`);
  await by('new-device').click();
  await by('link-qr').waitFor();
  await by('sandbox-number').fill(`+${SHY}`);
  await by('sandbox-scan').click();
  await by('passkey-link').waitFor();
  await photograph(page, 'passkey');
}

async function photograph(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PLACE, `${name}.png`), animations: 'disabled' });
  console.log(`docs/pictures/${name}.png`);
}

const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  await mkdir(PLACE, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1_280, height: 760 }, locale: 'en-GB', timezoneId: 'Asia/Jakarta' });
  await signUp(page);
  await link(page);
  await askForPasskey(page);
  for (const { phone, name, says } of CUSTOMERS) {
    await change(phone, { name });
    for (const body of says) await asked(`/sandbox/phones/${phone}/messages`, { to: COUNTER, body });
  }
  await page.goto(`${GATEWAY}/console/inbox`);
  await page
    .getByTestId('chat-row')
    .nth(CUSTOMERS.length - 1)
    .click();
  const chat = page.waitForURL('**/inbox/*/*').then(() => new URL(page.url()).pathname.replace('/console', ''));
  await page.getByTestId('composer').fill('Ya, Minggu kami buka jam 7 sampai 12.');
  await page.getByTestId('composer-send').click();
  // Once the reply has been read, all pages show the same figures.
  await page.locator('[data-testid="message-row"][data-direction="outbound"][data-status="read"]').waitFor();
  for (const [name, path, look] of PAGES) {
    await page.setViewportSize(look === 'narrow' ? { width: 390, height: 780 } : { width: 1_280, height: 760 });
    await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light' });
    await page.goto(`${GATEWAY}/console${path === '/inbox' ? await chat : path}`);
    await settled(page);
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined);
    await photograph(page, name);
  }
} finally {
  await browser.close();
}
