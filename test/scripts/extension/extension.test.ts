import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { after, it } from 'node:test';
import type { Page } from 'playwright-core';
import { present } from '../../../runtime/invariant.ts';
import { type Peer, startPeer } from '../../network-peer/peer.ts';
import { anExtension, closeBrowser, whereExtensionsLoad } from '../../support/browser.ts';
import { aServedConsole } from '../../support/console.ts';
import { calling, codeOn } from '../../support/gateway.ts';
import { aDirectory, embedded, type Scope } from '../../support/stores.ts';

const NETWORK = 'https://web.whatsapp.com';
const PHONE = '6281100000002';
const EXTENSION = new URL('../../../scripts/extension/', import.meta.url).pathname;
after(closeBrowser);

whereExtensionsLoad('the passkey extension', () => {
  it('links a device with a passkey, but only on a gateway that the user added', { timeout: 600_000 }, async (t) => {
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

  it('does not follow a redirect from a gateway to another address', { timeout: 600_000 }, async (t) => {
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

  it('links a device over the real protocol, just as the script for the browser console does', {
    timeout: 600_000,
  }, async (t) => {
    const { url, api, peer, ask } = await aGatewayOnTheProtocol(t);
    const { context, page, id } = await anExtension(t, EXTENSION, aDirectory(t));
    const site = await aSite(context);

    const byExtension = await ask('6281100000011');
    await addAuthenticator(site, byExtension.options, byExtension.key);
    await add(page, id, url);
    await look(page, byExtension.ceremony.url);
    await page.getByRole('button', { name: 'Sign with the passkey' }).click();
    await until(async () => (await api('GET', byExtension.path)).body.status === 'connected');

    const byHand = await ask('6281100000012');
    const fresh = await aSite(context);
    await addAuthenticator(fresh, byHand.options, byHand.key);
    const owner = await context.newPage();
    await signIn(owner, url, peer);
    await owner.goto(`${url}/console${byHand.path.replace('/v1/sessions', '/devices')}`);
    await owner.getByText('Without the extension').click();
    const script = await owner.getByTestId('passkey-script').inputValue();
    const printed = fresh.waitForEvent('console');
    await fresh.bringToFront();
    await fresh.evaluate(script);
    await fresh.mouse.click(100, 100);
    const answer = (await printed).text();
    await owner.bringToFront();
    await owner.getByTestId('passkey-answer').fill(answer);
    await owner.getByRole('button', { name: 'Send the answer' }).click();
    await until(async () => (await api('GET', byHand.path)).body.status === 'connected');
    assert.equal(peer.journal.events('passkey-linked').length, 2);
    assert.deepEqual(peer.ledger.violations, []);
  });
});

const SENDER = '12025550100';
const OWNER = '6281100009998';

/** In real time, because a browser has no other. */
async function aGatewayOnTheProtocol(t: Scope) {
  const peer = await startPeer();
  t.after(() => peer.stop());
  const wire = { network: 'whatsapp' as const, whatsapp_url: peer.url, whatsapp_root_key: peer.rootKey, whatsapp_history: 0 };
  const node = await aServedConsole(t, embedded, wire);
  const operator = calling(node.url, { 'x-admin-secret': node.secrets.admin });
  const sender = async () => (await operator('GET', '/v1/admin/sender')).body;
  await operator('POST', '/v1/admin/sender/connect');
  await peer.phone(SENDER).scans(await until(async () => (await sender()).qr));
  await until(async () => (await sender()).status === 'connected');
  const open = calling(node.url, {});
  await open('POST', '/auth/register', { name: 'Toko Acme', phone: `+${OWNER}` });
  const { token } = (await open('POST', '/auth/verify-otp', { phone: `+${OWNER}`, code: await codeShown(peer) })).body;
  const api = calling(node.url, { authorization: `Bearer ${token}` });
  return {
    ...{ url: node.url, api, peer },
    /** A phone whose account has a passkey scans the code of a new device. */
    async ask(digits: string) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const phone = peer.phone(digits);
      phone.wantsPasskey({ id: randomBytes(16), publicKey, timeout: 120_000 });
      const path = `/v1/sessions/${(await api('POST', '/v1/sessions', { name: 'Front desk' })).body.id}`;
      await api('POST', `${path}/connect`);
      void phone.scans(await until(async () => (await api('GET', `${path}/qr`)).body.qr)).catch(() => {});
      const { options, ceremony } = await until(async () => {
        const { status, body } = await api('GET', `${path}/passkey`);
        return status === 200 && body;
      });
      return { path, options, ceremony, key: privateKey.export({ format: 'der', type: 'pkcs8' }) };
    },
  };
}

const codeShown = (peer: Peer): Promise<string> =>
  until(async () => /\d{6}/.exec(peer.phone(OWNER).shows().at(-1)?.text ?? '')?.[0] ?? null).then(String);

/** The code of the sign-up is spent: the next one is another. */
async function signIn(page: Page, url: string, peer: Peer): Promise<void> {
  const before = peer.phone(OWNER).shows().length;
  await page.goto(`${url}/console/sign-in`);
  await page.getByTestId('sign-in-phone').fill(`+${OWNER}`);
  await page.getByTestId('sign-in-submit').click();
  await until(async () => peer.phone(OWNER).shows().length > before);
  await page.getByTestId('sign-in-code').fill(await codeShown(peer));
  await page.getByTestId('sign-in-submit').click();
  await page.waitForURL(`${url}/console/`);
}

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
/** `key`: in PKCS 8; absent: another one than the network knows, which the sandbox does not look at. */
async function addAuthenticator(site: Page, options: { rpId: string; allowCredentials: { id: string }[] }, key?: Buffer): Promise<void> {
  const browser = await site.context().newCDPSession(site);
  await browser.send('WebAuthn.enable');
  const means = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', ...means },
  });
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const pkcs8 = (key ?? Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey))).toString('base64');
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
