import { type Browser, chromium, type Page } from 'playwright-core';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { present } from '../../../runtime/invariant.ts';
import { type BenchNode, startBenchNode } from '../bench-node.ts';

const OWNER = '6281200000001';
const DEVICE = '6281200000099';

export interface Business extends BenchNode {
  readonly page: Page;
  readonly sessionId: string;
  openChat(): Promise<void>;
  write(from: string, body: string): Promise<void>;
  end(): Promise<void>;
}

export async function aBusiness(): Promise<Business> {
  const bench = await startBenchNode();
  const { url } = bench.node;
  const browser: Browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-US' });
  const page = await context.newPage();
  const write = async (from: string, body: string): Promise<void> => {
    await post(`${url}/sandbox/phones/${from}/messages`, { to: DEVICE, body });
  };
  const sessionId = await linked(page, url);
  return {
    ...bench,
    page,
    sessionId,
    write,
    async openChat() {
      await page.goto(`${url}/console/inbox`);
      await page.getByTestId('chat-row').first().click();
      await page.getByTestId('message-row').first().waitFor();
      await page.locator('[data-testid="live"][data-state="live"]').waitFor();
    },
    async end() {
      await browser.close();
      await bench.node.stop();
    },
  };
}

async function linked(page: Page, url: string): Promise<string> {
  const by = (id: string) => page.getByTestId(id);
  await page.goto(`${url}/console/sign-up`);
  await by('sign-up-name').fill('Bench');
  await by('sign-in-phone').fill(`+${OWNER}`);
  await by('sign-in-submit').click();
  await by('sign-in-code').fill(await codeOn(url));
  await by('sign-in-submit').click();
  await page.waitForURL(`${url}/console/`);
  await page.goto(`${url}/console/devices`);
  await by('new-device').click();
  await by('link-qr').waitFor();
  await by('sandbox-number').fill(`+${DEVICE}`);
  await by('sandbox-scan').click();
  await by('device-status').getByText('Connected', { exact: true }).waitFor();
  // Closes the sandbox phone. Otherwise its polling for messages would be measured too.
  await by('sandbox-toggle').click();
  return present(new URL(page.url()).pathname.split('/').at(-1), 'the id of the device');
}

async function codeOn(url: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(`${url}/sandbox/phones/${OWNER}/messages`)).text();
    const [code] = /\b\d{6}\b/.exec(text) ?? [];
    if (code) return code;
    await pause(systemClock, 100);
  }
}

async function post(address: string, body: unknown): Promise<void> {
  const answer = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
