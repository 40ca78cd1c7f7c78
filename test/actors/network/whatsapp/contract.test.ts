import { networkContract } from '../contract.ts';
import { overThePeer } from './peer-world.ts';

networkContract('the WhatsApp driver against the protocol peer', overThePeer);
