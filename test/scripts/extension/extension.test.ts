import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, it } from 'node:test';
import type { Page } from 'playwright-core';
import { present } from '../../../runtime/invariant.ts';
import { anExtension, closeBrowser, whereChromiumIs } from '../../support/browser.ts';
import { aServedConsole } from '../../support/console.ts';
import { calling, codeOn } from '../../support/gateway.ts';
import { aDirectory, embedded, type Scope } from '../../support/stores.ts';

const NETWORK = 'https://web.whatsapp.com';
const PHONE = '6281100000002';
const EXTENSION = new URL('../../../scripts/extension/', import.meta.url).pathname;
after(closeBrowser);

whereChromiumIs('the extension for passkeys', () => {
  it('links a device with the passkey of a browser, at a gateway that its person added', { timeout: 120_000 }, async (t) => {
    const { url, api, path, asked } = await aCeremony(t);
    const { context, page, id } = await anExtension(t, EXTENSION, aDirectory(t));
    const site = await aSite(context);
    await addAuthenticator(site, asked.options);
    await page.goto(`chrome-extension://${id}/link.html`);

    // Of nobody's gateways: nothing is asked there.
    await look(page, asked.ceremony.url);
    await page.getByText('is not one of your gateways').waitFor();
    const foreign = await aForeignServer(t);
    await add(page, id, url);
    for (const link of [
      `${foreign.url}/passkey-ceremony/${asked.ceremony.token}`,
      `${url}.evil.example/passkey-ceremony/${asked.ceremony.token}`,
    ]) {
      await look(page, link);
      await page.getByText('is not one of your gateways').waitFor();
    }
    assert.deepEqual(foreign.asked, []);
    await page.goto(`chrome-extension://${id}/options.html`);
    await page.getByLabel('Address of the gateway').fill('http://gateway.example.com');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Only https addresses').waitFor();
    await page.goto(`chrome-extension://${id}/link.html`);

    await look(page, asked.ceremony.url);
    await page.getByText('Toko Acme wants to link the device Front desk').waitFor();
    // A click of the person, not of a script.
    await page.evaluate(`document.getElementById('sign').click()`);
    assert.equal((await api('GET', `${path}/passkey`)).body.step, 'passkey');
    await page.getByRole('button', { name: 'Sign with the passkey' }).click();
    await page.getByText('Compare this code').waitFor();
    const { code } = (await api('GET', `${path}/passkey`)).body;
    assert.equal(await page.locator('#code').textContent(), code);
    await page.getByRole('button', { name: 'It is the same' }).click();
    await page.getByText('The phone is linked').waitFor();
    assert.equal((await api('GET', path)).body.phone_number, PHONE);
    const seen = await site.evaluate<string>('JSON.stringify(globalThis.seen)');
    assert.ok(seen.includes(asked.options.challenge), 'the page of the network signs');
    assert.ok(!/prf|largeBlob/.test(seen), 'and is not asked for secrets of the authenticator');
    assert.ok(!(await site.content()).includes(asked.ceremony.token) && !seen.includes(asked.ceremony.token), 'the token is not for it');
  });

  it('follows no gateway to another address', { timeout: 120_000 }, async (t) => {
    const foreign = await aForeignServer(t);
    const gateway = createServer((_request, response) => response.writeHead(307, { location: `${foreign.url}/stolen` }).end());
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    t.after(() => gateway.close());
    const address = gateway.address();
    assert.ok(address !== null && typeof address === 'object');
    const url = `http://127.0.0.1:${address.port}`;
    const { page, id } = await anExtension(t, EXTENSION, aDirectory(t));
    await add(page, id, url);
    await look(page, `${url}/passkey-ceremony/${'A'.repeat(43)}`);
    await page.getByText('The gateway did not answer').waitFor();
    assert.deepEqual(foreign.asked, []);
  });
});

async function aCeremony(t: Scope) {
  const node = await aServedConsole(t, embedded);
  const open = calling(node.url, {});
  const sandbox = present(node.sandbox, 'the sandbox');
  const phone = '+6281100009999';
  await open('POST', '/auth/register', { name: 'Toko Acme', phone });
  const { token } = (await open('POST', '/auth/verify-otp', { phone, code: codeOn(sandbox, phone.slice(1)) })).body;
  const api = calling(node.url, { authorization: `Bearer ${token}` });
  sandbox.phone(PHONE).set({ passkey: true });
  const { id } = (await api('POST', '/v1/sessions', { name: 'Front desk' })).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  const qr = await until(async () => (await api('GET', `${path}/qr`)).body.qr);
  sandbox.phone(PHONE).scan({ qr });
  const asked = await until(async () => {
    const { status, body } = await api('GET', `${path}/passkey`);
    return status === 200 && body;
  });
  return { url: node.url, api, path, asked };
}

async function until<T>(check: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('never happened');
}

type Context = Awaited<ReturnType<typeof anExtension>>['context'];

/** The network's own site, as far as a passkey needs it. It notes what an authenticator is asked. */
async function aSite(context: Context): Promise<Page> {
  const watch = `const get = navigator.credentials.get.bind(navigator.credentials); globalThis.seen = [];
    navigator.credentials.get = (options) => { const { challenge, extensions } = options.publicKey;
      seen.push(btoa(String.fromCharCode(...new Uint8Array(challenge))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''), extensions ?? null); return get(options); };`;
  await context.route(`${NETWORK}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>Network</title><script>${watch}</script>` }),
  );
  const site = await context.newPage();
  await site.goto(NETWORK);
  return site;
}

/** An authenticator that holds the passkey which the options name. */
async function addAuthenticator(site: Page, options: { rpId: string; allowCredentials: { id: string }[] }): Promise<void> {
  const browser = await site.context().newCDPSession(site);
  await browser.send('WebAuthn.enable');
  const means = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', ...means },
  });
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  const credentialId = Buffer.from(present(options.allowCredentials[0], 'a passkey').id, 'base64url').toString('base64');
  const credential = { credentialId, isResidentCredential: true, rpId: options.rpId, privateKey: pkcs8, userHandle: 'AAAA', signCount: 1 };
  await browser.send('WebAuthn.addCredential', { authenticatorId, credential });
}

async function add(page: Page, id: string, address: string): Promise<void> {
  await page.goto(`chrome-extension://${id}/options.html`);
  await page.getByLabel('Address of the gateway').fill(address);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByText('was added').waitFor();
  await page.goto(`chrome-extension://${id}/link.html`);
}

async function look(page: Page, link: string): Promise<void> {
  await page.getByLabel('Link of the passkey step').fill(link);
  await page.getByRole('button', { name: 'Look it up' }).click();
}

async function aForeignServer(t: Scope) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { asked, url: `http://127.0.0.1:${address.port}` };
}
