import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { LRUCache, NodeCache } from '../../../../actors/network/whatsapp/session/login-caches.ts';
import { pause, systemClock } from '../../../../runtime/clock.ts';

describe('caches that the library creates for each login', () => {
  it('drop expired entries, and the oldest entries above their limit', async () => {
    const short = new LRUCache({ ttl: 20 });
    short.set('a', 1);
    assert.equal(short.get('a'), 1);
    await pause(systemClock, 30);
    assert.equal(short.has('a'), false);
    const many = new NodeCache();
    for (let nth = 0; nth <= 2_000; nth += 1) many.set(String(nth), nth);
    assert.deepEqual([many.has('0'), many.get('2000')], [false, 2_000]);
    many.clear();
    assert.equal(many.has('2000'), false);
  });

  it('are replaced by our own implementation', async () => {
    const library = await loadLibrary();
    const keys = { get: async () => ({}), set: async () => undefined, isInTransaction: () => false, transaction: async () => undefined };
    const made = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: library.initAuthCreds(), keys } as never, {} as never);
    assert.ok(Reflect.get(made.lidMapping, 'mappingCache') instanceof LRUCache);
  });
});
