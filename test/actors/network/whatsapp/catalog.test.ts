import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { pino } from 'pino';
import { createCatalogClient } from '../../../../actors/network/whatsapp/catalog/catalog-client.ts';
import { createEgress } from '../../../../runtime/egress/egress.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { makeCertificate } from '../../../network-peer/media/certificate.ts';
import { eachStore } from '../../../support/stores.ts';
import { link, logIn } from '../world.ts';
import { type ACatalog, aCatalog, collectionsSaid, IDS, productsSaid, SAMPLE, type Said, SCARF, TOKEN } from './a-catalog.ts';
import { aProxy } from './a-proxy.ts';
import { aRealGateway } from './gateway.ts';
import { overThePeer } from './peer-world.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const OTHER = '6281100000002';
const jidOf = (digits: string) => `${digits}@s.whatsapp.net`;
const SHOWN = {
  id: SCARF.id,
  name: 'Batik scarf',
  description: 'Silk',
  retailerId: 'SCARF-90',
  url: 'https://acme.example/scarf',
  price: 250_000,
  currency: 'IDR',
  isHidden: false,
  imageUrls: { requested: 'https://files.example/s.jpg', original: 'https://files.example/l.jpg' },
  availability: 'in stock',
  reviewStatus: { whatsapp: 'APPROVED' },
};
const idsOf = (products: readonly { readonly id: string }[]) => products.map(({ id }) => id);

/** A client of a double that says this, and all that it logged. */
async function aClient(t: TestContext, say: Parameters<typeof aCatalog>[1], allowed = true) {
  const catalog = await aCatalog(t, say);
  const clock = new VirtualClock();
  let printed = '';
  const paper = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  });
  const egress = createEgress({ allow: allowed ? [catalog.place] : [], clock });
  const client = createCatalogClient({ url: catalog.url, token: TOKEN, ids: IDS, egress, clock, log: pino({ level: 'trace' }, paper) });
  t.after(() => client.close());
  const ask = () => client.products({ jid: jidOf(SHOP), account: SHOP, through: null });
  return { catalog, clock, client, ask, printed: () => printed };
}

const untilAsked = async ({ asked }: ACatalog): Promise<void> => {
  while (asked.length === 0) await new Promise((done) => setImmediate(done));
};

eachStore('the catalogue from the web client API', (kind) => {
  it('shows hidden products only to the owner, and cannot be changed', async (t) => {
    const catalog = await aCatalog(t, (_jid, asked) =>
      asked === 'products' ? productsSaid([SCARF, SAMPLE]) : collectionsSaid([{ id: '7', name: 'New', products: [SCARF] }]),
    );
    const config = {
      catalog_graphql_url: catalog.url,
      catalog_graphql_token: TOKEN,
      catalog_graphql_ids: IDS,
    };
    const gateway = await aRealGateway(t, kind, { config });
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    assert.equal((await api('GET', `${path}/capabilities`)).body.catalog, true);
    const asks = async (count: number, method: string, what: string) => {
      const answer = api(method, `${path}/catalog${what}`);
      await gateway.until('the question is on its way', () => catalog.asked.length === count);
      return (await answer).body;
    };
    const own = await asks(1, 'GET', '');
    assert.deepEqual([own.products[0], own.products[1].isHidden], [SHOWN, true]);
    assert.deepEqual(idsOf((await asks(2, 'GET', `?chat_id=${OTHER}`)).products), [SCARF.id]);
    assert.deepEqual((await asks(3, 'GET', '/collections')).collections, [{ id: '7', name: 'New', products: [SHOWN] }]);
    assert.deepEqual(
      catalog.asked.map(({ jid, kind: what }) => [jid, what]),
      [
        [jidOf(SHOP), 'products'],
        [jidOf(OTHER), 'products'],
        [jidOf(SHOP), 'collections'],
      ],
    );
    let isOver = false;
    const creating = api('POST', `${path}/catalog/products`, { name: 'Scarf' }).finally(() => {
      isOver = true;
    });
    await gateway.until('the change is answered', () => isOver);
    const { status, body } = await creating;
    assert.deepEqual([status, body.code], [504, 'DEVICE_TIMEOUT']);
    assert.match(JSON.stringify(body), /no longer accepts catalog changes/);
    assert.deepEqual([catalog.asked.length, catalog.faults], [3, []]);
  });
});

describe('reading a catalogue from the web client API', () => {
  it("uses only the device's proxy", async (t) => {
    const certificate = makeCertificate(Date.now());
    const known = getCACertificates('default');
    setDefaultCACertificates([...known, certificate.certificate]);
    t.after(() => setDefaultCACertificates(known));
    const catalog = await aCatalog(t, () => productsSaid([SCARF]), certificate);
    const proxy = await aProxy(t, 'http');
    const clock = new VirtualClock();
    const egress = createEgress({ allow: [], clock });
    const client = createCatalogClient({ url: catalog.url, token: TOKEN, ids: IDS, egress, clock, log: pino({ level: 'silent' }) });
    const world = await overThePeer(t, { proxyUrl: proxy.url, allow: [proxy.place], catalog: client });
    const shop = await logIn(world, await link(world, SHOP));
    assert.deepEqual(idsOf(await shop.connection.ask!('catalog.list', { phone: null })), [SCARF.id]);
    assert.deepEqual([proxy.deps.has(catalog.asked[0]!.port), catalog.faults], [true, []]);
  });

  it('follows up to ten pages', async (t) => {
    const { ask, catalog } = await aClient(t, (_jid, _kind, after) => {
      const id = Number(after ?? 0);
      return productsSaid([{ ...SAMPLE, id: `p${id}` }], String(id + 1));
    });
    assert.equal((await ask()).length, 10);
    assert.deepEqual(catalog.asked.map(({ after }) => after).slice(0, 3), [null, '1', '2']);
    const same = await aClient(t, () => productsSaid([SAMPLE], 'same'));
    assert.equal((await same.ask()).length, 2);
  });

  const refusals: Readonly<Record<string, readonly [Said, string]>> = {
    'an account without a catalogue': [{ body: { errors: [{ code: 2_498_052, message: 'none' }] } }, 'NOT_FOUND'],
    'an unknown token': [{ body: { error: { code: 190 } } }, 'FORBIDDEN'],
    'denied access': [{ status: 403, body: '' }, 'FORBIDDEN'],
    'too many requests': [{ status: 429, body: '' }, 'RATE_LIMITED'],
    'an unknown query': [{ status: 400, body: '' }, 'CONFLICT'],
    'a server error': [{ status: 503, body: '' }, 'CONFLICT'],
    'a response that is not JSON': [{ body: `<html>${TOKEN}</html>` }, 'CONFLICT'],
    'a compressed response': [{ headers: { 'content-encoding': 'gzip' }, body: 'x' }, 'CONFLICT'],
    'a response without data': [{ body: [] }, 'CONFLICT'],
    'an invalid list': [productsSaid({ length: 1 }), 'CONFLICT'],
    'an invalid product': [productsSaid([null]), 'CONFLICT'],
    'a number as a name': [productsSaid([{ id: '1', name: 7 }]), 'CONFLICT'],
    'an invalid price': [productsSaid([{ ...SCARF, price: '1e9' }]), 'CONFLICT'],
    'a negative price': [productsSaid([{ ...SCARF, price: -1 }]), 'CONFLICT'],
    'an invalid currency': [productsSaid([{ ...SCARF, currency: 'Rp' }]), 'CONFLICT'],
    'an unknown visibility': [productsSaid([{ ...SAMPLE, is_hidden: 'MAYBE' }]), 'CONFLICT'],
    'invalid images': [productsSaid([{ ...SCARF, media: { images: 'a' } }]), 'CONFLICT'],
    'a URL that is not a string': [productsSaid([{ ...SCARF, url: 7 }]), 'CONFLICT'],
    'an invalid cursor': [{ ...productsSaid([SCARF], { a: 1 } as never) }, 'CONFLICT'],
    'a truncated response': [{ play: (answer) => answer.write('{', () => answer.destroy()) }, 'DEVICE_TIMEOUT'],
  };
  for (const [what, [said, code]] of Object.entries(refusals)) {
    it(`reports ${code} for ${what}, without logging the token`, async (t) => {
      const { ask, catalog, printed } = await aClient(t, () => said);
      await assert.rejects(ask(), { name: 'Refusal', code });
      assert.deepEqual([catalog.asked.length, catalog.faults], [1, []]);
      assert.equal(printed().includes('network.catalog_unread'), code !== 'NOT_FOUND');
      assert.ok(!printed().includes(TOKEN), printed());
    });
  }

  it('omits addresses that are unsafe to open in a browser', async (t) => {
    const media = { images: [{ request_image_url: 'javascript:alert(1)', original_image_url: 'data:text/html,x' }] };
    const { ask } = await aClient(t, () => productsSaid([{ ...SCARF, url: 'javascript:alert(1)', media }]));
    const [product] = await ask();
    assert.deepEqual([product?.url, product?.imageUrls], [undefined, {}]);
  });

  it('reads at most a megabyte', async (t) => {
    let written = 0;
    const closed = Promise.withResolvers<void>();
    const pour = (answer: Parameters<NonNullable<Said['play']>>[0]): void => {
      if (answer.destroyed) return;
      written += 65_536;
      answer.write(' '.repeat(65_536), () => pour(answer));
    };
    const { ask } = await aClient(t, () => ({ play: (answer) => pour(answer.on('close', closed.resolve)) }));
    await assert.rejects(ask(), { code: 'CONFLICT' });
    await closed.promise;
    assert.ok(written > 1_000_000 && written < 100_000_000, `${written} bytes were taken`);
  });

  it('does not follow redirects, and connects to a private address only if the operator allowed it', async (t) => {
    const inside = await aCatalog(t, () => productsSaid([SCARF]));
    const moved = await aClient(t, () => ({ status: 307, headers: { location: inside.url }, body: '' }));
    await assert.rejects(moved.ask(), { code: 'CONFLICT' });
    const unallowed = await aClient(t, () => productsSaid([SCARF]), false);
    await assert.rejects(unallowed.ask(), { code: 'DEVICE_TIMEOUT' });
    assert.deepEqual([inside.asked, inside.faults, unallowed.catalog.asked, unallowed.catalog.faults], [[], [], [], []]);
  });

  it('times out after fifteen seconds without a response', async (t) => {
    const { ask, clock, catalog } = await aClient(t, () => ({ play: () => {} }));
    const asking = assert.rejects(ask(), { code: 'DEVICE_TIMEOUT' });
    await untilAsked(catalog);
    await clock.advance(15_000);
    await asking;
  });
});
