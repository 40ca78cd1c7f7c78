import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { PNG } from 'pngjs';
import { buildBundle } from '../../../http/console/bundle.ts';
import { documentOf } from '../../../http/console/document.ts';
import { aWindow, closeBrowser, isWiderThanWindow, useWholeBrowser, type Window, whereExtensionsLoad } from '../../support/browser.ts';
import { until } from '../../support/console.ts';
import { isNight } from '../../support/night.ts';
import type { Scope } from '../../support/stores.ts';

/**
 * Compares pages of the console with stored pictures. The built files are served with recorded
 * responses (`looks/answers.json`) under a stopped clock, so that only a change of the console
 * changes a picture. `node --test --test-update-snapshots` takes new pictures. They belong to one
 * major version of Chromium (`looks/version.txt`), because others draw letters differently; with
 * another version the test is skipped.
 */

const PLACE = join(import.meta.dirname, 'looks');
/** Where the pictures of this run are put that differ. */
const DIFFERENT = join(import.meta.dirname, '../../../node_modules/.cache/looks');
const isUpdating = process.execArgv.includes('--test-update-snapshots');

/** Share of the pixels that may differ, and the distance of two colours (0 to 1) from which they do. */
const MOST_PIXELS = 0.003;
const LEAST_DISTANCE = 0.1;
const MOST_BYTES = 3_000_000;
/** Flat surfaces are smallest without a filter. */
const SMALL = { deflateLevel: 9, deflateStrategy: 0, filterType: 0, colorType: 2 } as const;

interface Recorded {
  /** Epoch ms of the recording. */
  readonly at: number;
  /** By `METHOD path?query`. */
  readonly answers: Readonly<Record<string, unknown>>;
}

const DEVICE = '01M8MX5HS2C5ZZFY810WXKDT3Z';
const CHAT = `/inbox/${DEVICE}/${encodeURIComponent('6281211110010@s.whatsapp.net')}`;
const ALL = ['wide', 'dark', 'phone'] as const;
type Look = (typeof ALL)[number];

/** By day, only the first look of each page is compared, and all looks of this page. */
const WHOLE = 'home';

/** Each page with the looks in which it is taken: 1280 × 800 in light and dark, and 390 × 844. */
const PICTURES: readonly (readonly [name: string, path: string, looks: readonly Look[]])[] = [
  ['home', '/', ALL],
  ['inbox', '/inbox', ['wide', 'phone']],
  ['chat', CHAT, ALL],
  ['people', '/contacts', ALL],
  ['campaigns', '/campaigns', ['wide', 'phone']],
  ['campaign', '/campaigns/01M8MZR89C38ZTW4TAX7S7M6FC', ALL],
  ['campaign-new', '/campaigns/new', ['wide', 'phone']],
  ['reports', '/analytics', ['wide', 'dark']],
  ['settings', '/settings/window', ALL],
  ['consent', '/settings/consent', ['wide']],
  ['webhooks', '/webhooks', ['wide', 'phone']],
  ['devices', '/devices', ['dark']],
  ['billing', '/billing', ['wide']],
  ['sign-in', '/sign-in', ['wide', 'phone']],
];

after(closeBrowser);

whereExtensionsLoad('the pages of the console', () => {
  it('match their reference screenshots', { timeout: 600_000 }, async (t) => {
    const recorded: Recorded = JSON.parse(readFileSync(join(PLACE, 'answers.json'), 'utf8'));
    const { url, missing } = await aReplayedConsole(t, recorded);
    useWholeBrowser();
    const window = await aWindow(t, url, { timezoneId: 'Asia/Jakarta', reducedMotion: 'reduce', colorScheme: 'light' });
    const { page } = window;
    const pending = new Set<unknown>();
    page.on('request', (request) => void (request.url().includes('/v1/events?') || pending.add(request)));
    page.on('requestfinished', (request) => void pending.delete(request));
    page.on('requestfailed', (request) => void pending.delete(request));
    await page.clock.setFixedTime(recorded.at);
    const version = page.context().browser()?.version().split('.')[0] ?? '';
    const known = join(PLACE, 'version.txt');
    if (isUpdating) writeFileSync(known, `${version}\n`);
    const expected = readFileSync(known, 'utf8').trim();
    if (version !== expected) return t.skip(`the pictures are of Chromium ${expected}, this is ${version}`);

    const different: string[] = [];
    for (const [name, path, looks] of PICTURES) {
      await window.open(path);
      await until('all answers are there', async () => pending.size === 0 && (await page.locator('main[aria-busy="false"]').count()) > 0);
      for (const look of isNight || isUpdating || name === WHOLE ? looks : looks.slice(0, 1)) {
        const taken = await pictureOf(window, look);
        assert.equal(await isWiderThanWindow(page), false, `${name}, ${look}`);
        const share = compared(`${name}-${look}.png`, taken);
        if (share > MOST_PIXELS) different.push(`${name}-${look}.png: ${(share * 100).toFixed(2)} % of its pixels`);
      }
      await appear(window, 'wide');
    }
    assert.deepEqual([...missing], [], 'answers that were not recorded');
    assert.deepEqual(different, [], `compare them with ${DIFFERENT}`);
    assert.equal(PICTURES.flatMap(([, , looks]) => looks).length, 30);
    const bytes = readdirSync(PLACE).reduce((sum, name) => sum + statSync(join(PLACE, name)).size, 0);
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
    assert.deepEqual(window.faults, []);
  });

  it('differ from their reference screenshots if a button moves', () => {
    const [one, other] = [aPicture(0), aPicture(20)];
    assert.equal(shareOf(one, one), 0);
    assert.ok(shareOf(one, other) > MOST_PIXELS);
  });
});

/** Shows the page in this look, and waits for its fonts and the next frames. */
async function appear({ page, settled }: Window, look: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light' });
  await page.setViewportSize(look === 'phone' ? { width: 390, height: 844 } : { width: 1_280, height: 800 });
  await settled();
  await page.evaluate(`document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))`);
}

async function pictureOf(window: Window, look: Look): Promise<Buffer> {
  await appear(window, look);
  return window.page.screenshot({ animations: 'disabled', caret: 'hide' });
}

/** The share of pixels that differ from the picture of this name; a new picture takes its place where that is asked for. */
function compared(name: string, taken: Buffer): number {
  const path = join(PLACE, name);
  if (isUpdating) writeFileSync(path, PNG.sync.write(PNG.sync.read(taken), SMALL));
  const share = existsSync(path) ? shareOf(PNG.sync.read(readFileSync(path)), PNG.sync.read(taken)) : 1;
  if (share > MOST_PIXELS) {
    mkdirSync(DIFFERENT, { recursive: true });
    writeFileSync(join(DIFFERENT, name), taken);
  }
  return share;
}

/** The share of pixels whose colours are further apart than `LEAST_DISTANCE`; 1 for another size. */
function shareOf(one: PNG, other: PNG): number {
  if (one.width !== other.width || one.height !== other.height) return 1;
  const most = 3 * (255 * LEAST_DISTANCE) ** 2;
  let count = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const [red, green, blue] = [0, 1, 2].map((part) => (one.data[at + part] ?? 0) - (other.data[at + part] ?? 0));
    if ((red ?? 0) ** 2 + (green ?? 0) ** 2 + (blue ?? 0) ** 2 > most) count += 1;
  }
  return count / (one.data.length / 4);
}

/** A white page with a dark square that begins at `left`. */
function aPicture(left: number): PNG {
  const picture = new PNG({ width: 200, height: 200 });
  picture.data.fill(255);
  for (let y = 0; y < 20; y += 1)
    for (let x = left; x < left + 20; x += 1) picture.data.set([11, 112, 102, 255], (y * picture.width + x) * 4);
  return picture;
}

/** Serves the console with recorded answers. `missing`: the calls that have none. */
async function aReplayedConsole(scope: Scope, { answers }: Recorded) {
  const { id, files } = await buildBundle({ isDevelopment: false });
  const page = documentOf({ build: id, hasSandbox: false });
  const missing = new Set<string>();
  const answer = ({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): void => {
    const file = files.get(url.replace('/console/', ''));
    const key = `${method} ${url}`;
    const isSignedOut = headers.referer?.endsWith('/sign-in') && url === '/console/session/refresh';
    if (isSignedOut) response.writeHead(204).end();
    else if (file) response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
    else if (url.startsWith('/v1/events?')) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': live\n\n');
    else if (url.startsWith('/console/') && method === 'GET') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    else if (key in answers) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[key]));
    else {
      missing.add(key);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not recorded","code":"NOT_FOUND"}');
    }
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port }: { readonly port: number } = Object(server.address());
  return { url: `http://127.0.0.1:${port}`, missing };
}
