import { networkContract } from '../contract.ts';
import { inProcess } from './sandbox-worlds.ts';

networkContract('the sandbox in this process', inProcess);
