import { knownAddresses } from './addresses.js';

/** The only site whose pages may use the network's passkeys. */
const NETWORK = 'https://web.whatsapp.com';
/** Poll interval in ms. The gateway allows 30 calls per minute. */
const LOOK_MS = 3_000;
const CEREMONY = /^\/passkey-ceremony\/([\w-]{43})$/;
/** WebAuthn extensions that reveal secrets of the authenticator. */
const SECRETS = ['prf', 'largeBlob'];

const part = (id) => document.getElementById(id);
const say = (text) => {
  part('said').textContent = text;
};
/** `{url, publicKey}` of the current step. The link stays in this page and is never passed to a site. */
let ceremony = null;

part('find').addEventListener('submit', (event) => {
  event.preventDefault();
  act(find);
});
part('sign').addEventListener('click', (event) => event.isTrusted && act(sign));
part('same').addEventListener('click', (event) => event.isTrusted && act(confirm));

async function act(what) {
  try {
    await what();
  } catch (cause) {
    say(cause instanceof Error ? cause.message : String(cause));
  }
}

async function find() {
  const given = new URL(part('link').value.trim());
  const [, token] = CEREMONY.exec(given.pathname) ?? [];
  if (token === undefined) throw new Error('This is not the link of a passkey step. Copy it from the console of your gateway.');
  const known = (await knownAddresses()).find((address) => address === given.origin);
  if (known === undefined)
    throw new Error(`${given.origin} is not one of your gateways. If you trust it, type its address under “Your gateways”.`);
  const url = `${known}/passkey-ceremony/${token}`;
  ceremony = { url, publicKey: null };
  await look();
}

async function look() {
  const { stage, public_key, code, business, device } = await ask(ceremony.url);
  ceremony.publicKey = public_key;
  part('asked').hidden = stage !== 'challenge';
  part('compare').hidden = stage !== 'confirm';
  part('business').textContent = business;
  part('device').textContent = device ?? 'without a name';
  part('gateway').textContent = new URL(ceremony.url).host;
  part('code').textContent = code ?? '';
  say(SAID[stage] ?? '');
  if (stage === 'awaiting' || stage === 'confirm') setTimeout(() => act(look), LOOK_MS);
}

const SAID = {
  challenge: 'Sign only if you are linking this phone now.',
  awaiting: 'The passkey was accepted. Look at the phone.',
  confirm: '',
  done: 'The phone is linked. You can close this page.',
  failed: 'Linking ended. Start it again in the console.',
};

async function sign() {
  const own = await chrome.tabs.getCurrent();
  const tab = await networkTab();
  await chrome.tabs.update(tab.id, { active: true });
  // Runs in the page's own context, because password managers respond only there. The page receives
  // only the options.
  const [{ result }] = await chrome.scripting.executeScript({
    target: { tabId: tab.id },
    world: 'MAIN',
    func: signInPage,
    args: [withoutSecrets(ceremony.publicKey, 'extensions'), NETWORK],
  });
  await chrome.tabs.update(own.id, { active: true });
  if (!result?.credential) throw new Error(`The passkey was not used: ${result?.error ?? 'the page is gone'}. You can try again.`);
  await ask(ceremony.url, { credential: withoutSecrets(result.credential, 'clientExtensionResults') });
  await look();
}

async function signInPage(options, origin) {
  try {
    if (location.origin !== origin) return { error: 'another site' };
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return { credential: (await navigator.credentials.get({ publicKey })).toJSON() };
  } catch (cause) {
    return { error: String(cause?.message ?? cause) };
  }
}

async function networkTab() {
  const [open] = await chrome.tabs.query({ url: `${NETWORK}/*`, status: 'complete' });
  if (open) return open;
  const { promise, resolve } = Promise.withResolvers();
  const opened = await chrome.tabs.create({ url: NETWORK, active: true });
  const loaded = (id, { status }, tab) => id === opened.id && status === 'complete' && resolve(tab);
  chrome.tabs.onUpdated.addListener(loaded);
  const tab = await promise;
  chrome.tabs.onUpdated.removeListener(loaded);
  return tab;
}

async function confirm() {
  await ask(ceremony.url, { confirmed: true });
  await look();
}

function withoutSecrets(json, where) {
  const others = Object.entries(json[where] ?? {}).filter(([name]) => !SECRETS.includes(name));
  return where in json ? { ...json, [where]: Object.fromEntries(others) } : json;
}

/** Fails on a redirect, because the token must not be sent to another address. */
async function ask(url, body) {
  const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(url, {
    ...sent,
    redirect: 'error',
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  }).catch(() => {
    throw new Error('The gateway did not answer. Check its address, and try again.');
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(answer.status === 404 ? SAID.failed : said.error);
  return said;
}
