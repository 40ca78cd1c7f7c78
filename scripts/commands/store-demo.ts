import { createHmac } from 'node:crypto';
import { systemClock } from '../../runtime/clock.ts';
import { aNumber, BASE, call, chapter, type Json, linksPhone, playing, ready, say, signsUp, until } from './narrator.ts';

/**
 * `npm run demo:store` plays an order from the cart to the parcel. It uses a running gateway on the
 * sandbox network.
 */

const OWNER = aNumber('62812');
const SHOP = aNumber('62813');
const SARI = aNumber('62814');
const SECRET = 'the signing key that the store shows';

const at = (): string => new Date(systemClock.now()).toISOString();

const CART = {
  id: 371122,
  token: 'token-of-sari',
  cart_token: 'cart-of-sari',
  phone: `+${SARI}`,
  currency: 'IDR',
  total_price: '275000.00',
};
const LINES = {
  line_items: [
    { name: 'Kaos Polos - Hitam / L', quantity: 2 },
    { name: 'Topi Rimba', quantity: 1 },
  ],
};
const CHECKOUT = { ...CART, ...LINES, customer: { first_name: 'Sari' }, abandoned_checkout_url: 'https://toko.example/checkouts/371122' };
const ORDER = {
  id: 5678901234567,
  name: '#1042',
  checkout_id: CART.id,
  checkout_token: CART.token,
  phone: `+${SARI}`,
  customer: { first_name: 'Sari' },
  financial_status: 'pending',
  currency: 'IDR',
  total_price: '275000.00',
  ...LINES,
};

async function play(): Promise<void> {
  say(`A store connected to the gateway at ${BASE}. Nothing leaves this machine: store and phones are simulated here.`);
  await ready();
  const bearer = await signsUp('Toko Kenanga', OWNER);
  const device = await linksPhone(SHOP, bearer);

  chapter('It connects its Shopify store');
  const made = await call(
    'POST',
    '/v1/store-integrations',
    { platform: 'platform_a', name: 'Toko Kenanga', session_id: device },
    bearer,
    'quiet',
  );
  const { id, webhook_url } = made['integration'];
  const path = new URL(webhook_url).pathname;
  say('  The gateway gives the store its own address. Keep it secret.');
  say('  The owner enters it in the store settings, and saves the signing key that the store shows. Reminders are switched on:');
  await call(
    'PUT',
    `/v1/store-integrations/${id}`,
    { secret: SECRET, templates: { abandoned_checkout: { enabled: true } } },
    bearer,
    'quiet',
  );

  chapter('Sari fills her cart and leaves her number, but does not pay');
  await hook(path, 'checkouts/create', CHECKOUT);
  say('  A reminder waits for an hour:');
  const waiting = (await call('GET', `/v1/sessions/${device}/scheduled?status=pending`, undefined, bearer, 'quiet'))['scheduled'];
  say(quoted(String(waiting[0]?.['body'])));

  chapter('She orders after all');
  await hook(path, 'orders/create', ORDER);
  await receives('the order is announced', 1);
  const left = (await call('GET', `/v1/sessions/${device}/scheduled?status=pending`, undefined, bearer, 'quiet'))['scheduled'];
  say(`  The reminder is gone: ${left.length} messages are waiting.`);

  chapter('She pays. The store reports the payment twice, and the order once more');
  await hook(path, 'orders/paid', { ...ORDER, financial_status: 'paid' });
  await hook(path, 'orders/paid', { ...ORDER, financial_status: 'paid' });
  await hook(path, 'orders/create', ORDER);
  await receives('the payment is confirmed, once', 2);

  chapter('The parcel is shipped, and its tracking number arrives a moment later');
  const parcel = { id: 1, order_id: ORDER.id, name: '#1042.1', status: 'success' };
  await hook(path, 'fulfillments/create', parcel);
  const tracked = { tracking_company: 'JNE', tracking_number: 'CGK1234567890', tracking_url: 'https://jne.example/lacak/CGK1234567890' };
  await hook(path, 'fulfillments/update', { ...parcel, ...tracked });
  await receives('the parcel is announced with its number', 3);

  chapter('A stranger calls the address');
  await hook(path, 'orders/create', { ...ORDER, id: 2, name: '#9' }, 'a guessed key');

  chapter('What the owner sees');
  const { items } = await call('GET', `/v1/store-integrations/${id}/events`, undefined, bearer, 'quiet');
  for (const { topic, ref, outcome, detail } of items.toReversed())
    say(`  ${String(topic).padEnd(20)} ${String(ref).padEnd(8)} ${String(outcome).padEnd(11)} ${detail ?? ''}`.trimEnd());
  say('\nHow to connect a real store: docs/stores.md');
}

async function hook(path: string, topic: string, body: object, secret = SECRET): Promise<void> {
  const raw = JSON.stringify({ created_at: at(), updated_at: at(), ...body });
  const headers = {
    'content-type': 'application/json',
    'x-shopify-topic': topic,
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(raw).digest('base64'),
    'x-shopify-shop-domain': 'toko-kenanga.myshopify.com',
  };
  const response = await fetch(`${BASE}${path}`, { method: 'POST', headers, body: raw });
  const { outcome, code }: Json = JSON.parse(await response.text());
  say(`  store: ${topic.padEnd(20)} gateway: ${response.status} ${outcome ?? code ?? ''}`);
}

async function receives(what: string, count: number): Promise<void> {
  const shown = async (): Promise<Json> => call('GET', `/sandbox/phones/${SARI}/messages`, undefined, undefined, 'quiet');
  const { messages } = await until(what, shown, ({ messages }) => messages.length >= count);
  say('  Sari’s phone shows:');
  say(quoted(String(messages[0]?.['body'])));
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    │ ${line}`)
    .join('\n');

await playing(play);
