import { networkContract } from '../contract.ts';
import { inProcess } from './sandbox-worlds.ts';

networkContract('the sandbox in the same process', inProcess);
