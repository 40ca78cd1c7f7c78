import { describe } from 'node:test';
import { acts } from '../contract/acts.ts';
import { closing } from '../contract/closing.ts';
import { faults } from '../contract/faults.ts';
import { linking } from '../contract/linking.ts';
import { receiving } from '../contract/receiving.ts';
import { sending } from '../contract/sending.ts';
import { overThePeer } from './peer-world.ts';

describe('the real network’s driver over the protocol peer', () => {
  for (const part of [linking, sending, receiving, acts, closing, faults]) part(overThePeer);
});
