import '@shopify/shopify-api/adapters/node';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import { seededRandom } from '../../runtime/random.ts';
import { aGateway, type Gateway } from '../support/gateway.ts';
import { postTo } from '../support/online-stores/post.ts';
import { ShopifyStore } from '../support/online-stores/shopify.ts';
import { WooCommerceStore } from '../support/online-stores/woocommerce.ts';
import { embedded, type Scope } from '../support/stores.ts';

/** Bodies whose bytes change when somebody reads and writes them again. */
const BODIES = {
  plain: '{"id":1,"name":"#1001"}',
  'beyond ASCII': '{"id":2,"name":"#1002","note":"Terima kasih \u{1f64f} éü"}',
  spaced: '{ "id" : 3 ,\n "total_price" : "293000.00" }\n',
  'an id above 2^53': '{"id":9820982911946154508,"test":true}',
};

const SECRET = 'f3a1c0d97b5e4c2286aa10de44f0b7c95d2e8a6b1c3f4e7d90ab12cd34ef5678';

async function connected(scope: Scope, platform: string): Promise<{ gateway: Gateway; url: URL; secret: string }> {
  const gateway = await aGateway(scope, { kind: embedded });
  const { api } = await gateway.signUp();
  const order = { platform, name: 'Toko', ...(platform === 'platform_a' && { secret: SECRET }) };
  const { integration, secret = SECRET } = (await api('POST', '/v1/store-integrations', order)).body;
  return { gateway, url: new URL(new URL(integration.webhook_url).pathname, gateway.node.url), secret };
}

/** What the gateway answers to a body with these headers. */
async function statusOf({ gateway, url }: { gateway: Gateway; url: URL }, version: '1.0' | '1.1', headers: object, body: string) {
  const request = { url, version, headers: headers as Readonly<Record<string, string>>, body, withinMs: 60_000 };
  return (await gateway.during(postTo(gateway.clock, request))).status;
}

const connection = (gateway: Gateway, url: URL, secret: string) => ({
  clock: gateway.clock,
  random: seededRandom(1),
  secret,
  url: () => url,
  ended() {},
});

it("a Shopify signature is accepted exactly when Shopify's own library accepts it", async (t) => {
  const shop = await connected(t, 'platform_a');
  const store = new ShopifyStore(connection(shop.gateway, shop.url, shop.secret));
  const { webhooks } = shopifyApi({
    apiKey: 'key',
    apiSecretKey: SECRET,
    apiVersion: ApiVersion.July26,
    hostName: 'gateway.example',
    isEmbeddedApp: false,
    logger: { level: 0 },
  });
  for (const [what, body] of Object.entries(BODIES)) {
    const headers = store.headersOf({ topic: 'orders/create', body, id: 'one', triggeredAt: 0 });
    const reread = JSON.stringify(JSON.parse(body));
    for (const sent of new Set([body, reread, `${body} `])) {
      const rawRequest = { method: 'POST', url: '/', headers };
      const { valid } = await webhooks.validate({ rawBody: sent, rawRequest });
      assert.equal(valid, sent === body, what);
      assert.equal(await statusOf(shop, '1.1', headers, sent), valid ? 200 : 401, `${what}: ${sent}`);
    }
  }
});

const hasPhp = spawnSync('php', ['-v']).status === 0;
if (!hasPhp) console.log('php is not installed: WooCommerce’s signatures are not judged by PHP.');

/** As the platform signs (class-wc-webhook.php): the secret is unescaped first, which must not change it. */
const signedByPhp = (secret: string, body: string): string =>
  execFileSync(
    'php',
    [
      '-r',
      'echo base64_encode(hash_hmac("sha256", stream_get_contents(STDIN), htmlspecialchars_decode($argv[1], ENT_QUOTES), true));',
      secret,
    ],
    { input: body, encoding: 'utf8' },
  );

it('a signature that PHP makes for WooCommerce over HTTP/1.0 is accepted', { skip: !hasPhp && 'php is not installed' }, async (t) => {
  const shop = await connected(t, 'platform_b');
  const store = new WooCommerceStore(connection(shop.gateway, shop.url, shop.secret));
  for (const [what, body] of Object.entries(BODIES)) {
    const own = store.headersOf('order.created', body);
    const signature = signedByPhp(shop.secret, body);
    assert.equal(own['X-WC-Webhook-Signature'], signature, what);
    assert.equal(await statusOf(shop, '1.0', { ...own, 'X-WC-Webhook-Signature': signature }, body), 200, what);
    assert.equal(await statusOf(shop, '1.0', { ...own, 'X-WC-Webhook-Signature': signature }, `${body} `), 401, what);
  }
});

it("WooCommerce can enable a webhook, unless the webhook's address no longer exists", async (t) => {
  const shop = await connected(t, 'platform_b');
  const store = new WooCommerceStore(connection(shop.gateway, shop.url, shop.secret));
  assert.equal(await shop.gateway.during(store.activate()), true);
  const gone = new WooCommerceStore(connection(shop.gateway, new URL('/hooks/store/nobody', shop.url), shop.secret));
  assert.equal(await shop.gateway.during(gone.activate()), false);
});
