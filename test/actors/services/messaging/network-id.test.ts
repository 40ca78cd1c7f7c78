import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkId } from '../../../../actors/services/messaging/sending.ts';
import { newId } from '../../../../runtime/ids.ts';

const now = Date.UTC(2026, 0, 15);

describe("a message's network id", () => {
  it('is the same on every attempt', () => {
    assert.equal(networkId('secret', '01J9ZK3V5T8Q4W2N6R7X0Y1ABC', now), networkId('secret', '01J9ZK3V5T8Q4W2N6R7X0Y1ABC', now));
  });

  it("always has the format of the network's own ids", () => {
    for (const at of [0, 63, now, now + 64 * 65_535, 2 ** 48]) assert.match(networkId('secret', newId(now), at), /^3EB0[0-9A-F]{18}$/);
  });

  it('differs from the ids of other messages sent at the same moment', () => {
    const ids = Array.from({ length: 1_000 }, () => networkId('secret', newId(now), now));
    assert.equal(new Set(ids).size, 1_000);
  });

  it("cannot be computed without the device's secret", () => {
    const id = newId(now);
    assert.notEqual(networkId('secret', id, now).slice(8), networkId('another', id, now).slice(8));
  });

  it('begins like the other ids from the same moment', () => {
    const begins = (at: number) => networkId('secret', newId(at), at).slice(0, 8);
    assert.equal(begins(now), begins(now + 1));
    assert.ok(begins(now) < begins(now + 64));
  });
});
