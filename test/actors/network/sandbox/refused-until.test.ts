import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLOSED } from '../../../../actors/network/port.ts';
import { Faults } from '../../../../actors/network/sandbox/faults.ts';
import { systemClock } from '../../../../runtime/clock.ts';

const SHOP = '6281100000001';
const HOUR_MS = 3_600_000;

describe('a temporarily refused login', () => {
  it('gets the end time of the refusal in whole milliseconds', () => {
    const faults = new Faults(systemClock);
    faults.start(SHOP, 'temporarily_banned', HOUR_MS);
    const told = Array.from({ length: 20 }, () => faults.refusesLogin(SHOP));
    assert.ok(told.every((refused) => refused?.code === CLOSED.bannedForNow && Number.isSafeInteger(refused.until)));
  });
});
