import { describe, it } from 'node:test';
import { EVERY_DAY, keepsItsPromises } from './seeds.ts';

const ROUNDS = process.env['SEED'] === undefined ? 4 : 1;
const PER_ROUND = Math.ceil(EVERY_DAY / ROUNDS);

/**
 * Whole clusters on virtual time, the real code from the device down to the keeper of its lease, in every kind of trouble that a seed can
 * think of (faults.ts), watched by an oracle that sees all that the store and the network accept.
 */
describe('a simulated cluster under faults', () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round * PER_ROUND;
    it(`never has two owners for one device, and delivers each message once: worlds ${first} to ${first + PER_ROUND - 1}`, () =>
      keepsItsPromises(first, PER_ROUND));
  }
});
