import { networkContract } from '../contract.ts';
import { overThePeer } from './peer-world.ts';

networkContract('the real network’s driver over the protocol peer', overThePeer);
