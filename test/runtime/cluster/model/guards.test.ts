import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_GUARDS } from './guards.ts';
import { play } from './run.ts';
import { isMissed } from './seeds.ts';

describe('the lease protocol model', () => {
  it('produces the same history whenever it runs with the same seed', async () => {
    const [one, other] = [await play(7), await play(7)];
    assert.deepEqual(one, other);
  });

  it('detects an owner that acts without checking its lease', () => isMissed({ ...ALL_GUARDS, checksLease: false }, ['I1', 'I2']));

  it('detects a write that does not check the epoch', () => isMissed({ ...ALL_GUARDS, fencesWrites: false }, ['I5']));

  it('detects an epoch that is stored in Redis', () => isMissed({ ...ALL_GUARDS, storesEpoch: false }, ['I4']));

  it('detects a message that is resent under another network id', () => isMissed({ ...ALL_GUARDS, keepsNetId: false }, ['sent twice']));

  it('detects an owner that logs in again immediately after it was replaced', () =>
    isMissed({ ...ALL_GUARDS, yieldsWhenReplaced: false }, ['I3']));

  it('detects a lease that is released before the socket is closed', () => isMissed({ ...ALL_GUARDS, closesFirst: false }, ['I2']));

  it('detects a lease that is treated as held although its renewal got no response', () =>
    isMissed({ ...ALL_GUARDS, doubtsSilence: false }, ['I2']));

  it('detects a restarted node that reuses the leases of its previous process', () =>
    isMissed({ ...ALL_GUARDS, leavesFormer: false }, ['I1', 'I2']));
});
