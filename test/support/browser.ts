import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe } from 'node:test';
import jsQr from 'jsqr';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { entry, present } from '../../runtime/invariant.ts';
import { atEndOfProcess, isShared } from './shared-process.ts';
import type { Scope } from './stores.ts';

/** Path of Debian's Chromium, or of the one named by CHROMIUM. Only this one loads extensions. */
const WHOLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Debian's Chromium without its own window drawing: the same pages for half of the CPU. */
const HEADLESS = '/usr/bin/chromium-headless-shell';
const CHROMIUM = process.env['CHROMIUM'] === undefined && existsSync(HEADLESS) ? HEADLESS : WHOLE;

/** Without Chromium, its tests are skipped with a message. CI has Chromium. */
const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.log(`${CHROMIUM} is not there: the tests of the console are skipped. CHROMIUM names another place.`);
const loadsExtensions = existsSync(WHOLE);
if (!loadsExtensions) console.log(`${WHOLE} is not there: the tests of the extension are skipped. CHROMIUM names another place.`);

/** Like `describe`, if Chromium is installed. */
export function whereChromiumIs(story: string, tell: () => void): void {
  if (hasChromium) describe(story, tell);
}

/** Like `describe`, if the installed Chromium can load extensions. */
export function whereExtensionsLoad(story: string, tell: () => void): void {
  if (loadsExtensions) describe(story, tell);
}

/** A browser window, and the faults that occurred in it. */
export interface Window {
  readonly page: Page;
  /** Violations of the page's security policy, uncaught errors, and requests to other hosts. Should stay empty. */
  readonly faults: readonly string[];
  by(testId: string): Locator;
  /** Opens a path under /console and waits until its first data is painted. */
  open(path: string): Promise<void>;
  settled(): Promise<void>;
}

const TELL_OF_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sample))`;

/** A container has no user namespaces for the browser's sandbox, and little shared memory. */
const IN_A_CONTAINER = ['--no-sandbox', '--disable-dev-shm-usage'];
/** The fake microphone beeps, and the page gets permission without a prompt. */
const PRETENDED_MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** Running browsers by path. The files of one process share them. */
const running = new Map<string, Promise<Browser>>();
/** The browser of this file's windows. */
let chosen = CHROMIUM;

/** Ends this file's use of the browser. Call it after the last test. A browser that other files may use keeps running. */
export async function closeBrowser(): Promise<void> {
  chosen = CHROMIUM;
  if (!isShared) await endBrowsers();
}

async function endBrowsers(): Promise<void> {
  const browsers = [...running.values()];
  running.clear();
  for (const browser of browsers) await (await browser).close();
}

atEndOfProcess(endBrowsers);

/** Makes this file use the full Chromium, which renders text slightly differently. Call it before the first window. */
export function useWholeBrowser(): void {
  chosen = WHOLE;
}

function browserAt(executablePath: string): Promise<Browser> {
  const known = running.get(executablePath);
  if (known) return known;
  const browser = chromium.launch({ executablePath, args: [...IN_A_CONTAINER, ...PRETENDED_MICROPHONE] });
  running.set(executablePath, browser);
  // After a crash, the next file starts another one.
  browser.then((one) => one.on('disconnected', () => running.delete(executablePath))).catch(() => running.delete(executablePath));
  return browser;
}

/** Opens a window with its own cookies and storage. `url`: the gateway's URL. */
export async function aWindow(scope: Scope, url: string, options: BrowserContextOptions = {}): Promise<Window> {
  const browser = await browserAt(chosen);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-US', ...options });
  // Tests wait for conditions, so a long timeout only matters on a busy machine.
  context.setDefaultTimeout(60_000);
  scope.after(() => context.close());
  const faults: string[] = [];
  await context.addInitScript({ content: TELL_OF_VIOLATIONS });
  context.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith('http') && asked.origin !== url) faults.push(`asks ${asked.origin}`);
  });
  context.on('console', (message) => void (message.text().startsWith('policy:') && faults.push(message.text())));
  context.on('weberror', (error) => void faults.push(String(error.error().stack)));
  const page = await context.newPage();
  const settled = (): Promise<void> => page.locator('main[aria-busy="false"] h1').first().waitFor();
  return {
    page,
    faults,
    by: (testId) => page.locator(`[data-testid="${testId}"]`),
    settled,
    async open(path) {
      await page.goto(`${url}/console${path}`);
      await settled();
    },
  };
}

/** Opens a browser with an extension, and a page of the extension. `profile`: an empty directory. */
export async function anExtension(scope: Scope, directory: string, profile: string) {
  const loading = [`--disable-extensions-except=${directory}`, `--load-extension=${directory}`];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: WHOLE,
    args: [...IN_A_CONTAINER, ...loading, '--disable-features=DisableLoadExtensionCommandLineSwitch'],
    ignoreDefaultArgs: ['--disable-extensions'],
    locale: 'en-US',
  });
  context.setDefaultTimeout(30_000);
  scope.after(() => context.close());
  const [running] = context.serviceWorkers();
  const worker = running ?? (await context.waitForEvent('serviceworker'));
  return { context, page: await context.newPage(), id: new URL(worker.url()).host };
}

/** Returns the text of a painted QR code. Throws if its pixels cannot be decoded. */
export async function readCode(picture: Locator): Promise<string> {
  const { data, width, height } = PNG.sync.read(await picture.screenshot());
  return present(jsQr.default(new Uint8ClampedArray(data), width, height), 'a code in the picture').data;
}

const axe = createRequire(import.meta.url)('axe-core');

/** Returns the accessibility faults of the current page, one line per place. */
export async function barriers(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  // Uses the debugging protocol, because the page's policy blocks injected scripts.
  const { result: known } = await session.send('Runtime.evaluate', { expression: `typeof axe` });
  if (known.value === 'undefined') await session.send('Runtime.evaluate', { expression: axe.source });
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const expression = `axe.run(document, ${JSON.stringify({ runOnly: tags, resultTypes: ['violations'] })}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`;
  const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await session.detach();
  return result.value;
}

/** Whether the page needs horizontal scrolling. */
export const isWiderThanWindow = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** Presses Tab until the element has the focus, as keyboard users do. Throws if it cannot be reached. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const seen = new Map<string, number>();
  for (let presses = 0; presses < 100; presses += 1) {
    if (await target.evaluate((one) => one.matches(':focus'))) return;
    await page.keyboard.press('Tab');
    const place = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)');
    seen.set(place, (seen.get(place) ?? 0) + 1);
    if (entry(seen, place) > 3) break;
  }
  throw new Error(`the keyboard does not lead to ${target}: ${[...seen.keys()].join('\n')}`);
}

/** Opens the account menu (language, theme, sign out) unless it is open. */
export async function openAccount({ by }: Pick<Window, 'by'>): Promise<void> {
  const button = by('account');
  if ((await button.count()) > 0 && (await button.getAttribute('aria-expanded')) !== 'true') await button.click();
}

/** Follows a menu link, which may be in a collapsed group. */
export async function goBy(page: Page, name: string, group: string): Promise<void> {
  const link = page.locator('nav').getByRole('link', { name, exact: true });
  if ((await link.count()) === 0) await page.locator('nav').getByRole('button', { name: group }).click();
  await link.click();
}
