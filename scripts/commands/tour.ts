import { aNumber, BASE, call, chapter, linksPhone, playing, ready, say, signsUp, until } from './narrator.ts';

/**
 * `npm run tour` plays the introductory scenario and prints each request. It uses a running gateway
 * on the sandbox network.
 */

const OWNER = aNumber('62812');
const SHOP = aNumber('62813');
const ANNA = aNumber('62814');

async function play(): Promise<void> {
  say(`A tour of the gateway at ${BASE}. Nothing leaves this machine: the phones belong to the sandbox network.`);
  await ready();

  const bearer = await signsUp('Toko Acme', OWNER);
  const session = `/v1/sessions/${await linksPhone(SHOP, bearer)}`;

  chapter('It creates an API key for its software and sends a message');
  const { key } = await call('POST', '/v1/api-keys', { name: 'Web shop', scopes: ['read', 'send'] }, bearer);
  const sent = await call(
    'POST',
    `${session}/messages`,
    { chat_id: `+${ANNA}`, type: 'text', body: 'Hello Anna, your order is ready.' },
    String(key),
  );
  await until(
    'Anna has read it',
    () => call('GET', `${session}/messages/${sent.id}`, undefined, bearer, 'quiet'),
    ({ status }) => status === 'read',
  );
  say("Anna's phone shows:");
  await call('GET', `/sandbox/phones/${ANNA}/messages`);

  chapter('Anna answers');
  await call('POST', `/sandbox/phones/${ANNA}/messages`, { to: SHOP, body: 'Thank you! I come at five.' });
  const inbound = `${session}/messages?direction=inbound`;
  await until(
    'it is in the log',
    () => call('GET', inbound, undefined, bearer, 'quiet'),
    ({ messages }) => messages.length > 0,
  );
  await call('GET', inbound, undefined, bearer);

  say(`\nThat was the whole tour. The reference of all endpoints: ${BASE}/docs/api`);
}

await playing(play);
