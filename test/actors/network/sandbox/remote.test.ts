import { networkContract } from '../contract.ts';
import { remote } from './sandbox-worlds.ts';

networkContract('the sandbox in a separate process', remote);
