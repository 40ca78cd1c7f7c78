import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentCache } from '../../runtime/recent-cache.ts';

describe('a cache of recently used values', () => {
  it('never holds more than twice its configured size', () => {
    const recent = new RecentCache<number, number>(10);
    for (let key = 0; key < 1_000; key += 1) recent.set(key, key);
    assert.ok([...recent.values()].length <= 20);
    assert.equal(recent.get(999), 999);
    assert.equal(recent.get(0), undefined);
  });

  it('keeps a frequently used value, even if many others are added', () => {
    const recent = new RecentCache<string, string>(10);
    recent.set('often', 'used');
    for (let key = 0; key < 1_000; key += 1) {
      recent.set(`once ${key}`, '');
      assert.equal(recent.get('often'), 'used');
    }
  });

  it('drops a deleted entry, and returns the newer of two values', () => {
    const recent = new RecentCache<string, number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('a', 3);
    assert.equal(recent.get('a'), 3);
    recent.delete('a');
    assert.equal(recent.get('a'), undefined);
  });
});
