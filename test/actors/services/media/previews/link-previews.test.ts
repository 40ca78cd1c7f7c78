import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLinkPreviews } from '../../../../../actors/services/media/previews/link-previews.ts';
import { VirtualClock } from '../../../../../runtime/testing/virtual-clock.ts';

const PAGES = 10_000;

it("a business with 10,000 links does not push other businesses' previews out of the cache", async () => {
  const asked: string[] = [];
  const previews = createLinkPreviews({
    fetcher: {
      async fetch(_tenantId, url) {
        asked.push(url);
        throw new Error('not found');
      },
    },
    converter: { convert: () => Promise.reject(new Error('no picture')) },
    clock: new VirtualClock(),
    mayFetch: async () => true,
  });
  const shop = ['https://shop.id/a', 'https://shop.id/b'];
  const show = async () => {
    for (const url of shop) await previews.find('shop', url);
  };
  await show();
  for (let nth = 0; nth < PAGES; nth += 1) await previews.find('attacker', `https://a${nth}.evil.id/`);
  await show();
  assert.deepEqual(
    asked.filter((url) => url.startsWith('https://shop.')),
    shop,
  );
  await previews.find('attacker', 'https://a0.evil.id/');
  await previews.find('attacker', `https://a${PAGES - 1}.evil.id/`);
  assert.equal(asked.length, shop.length + PAGES + 1, 'the attacker keeps only the newest');
});
