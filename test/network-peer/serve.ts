import './silent-logger.ts';
import { parseArgs } from 'node:util';
import { startPeer } from './peer.ts';
import { commandsOf } from './process/commands.ts';
import { startControl } from './process/control.ts';

/**
 * The peer as a process of its own, which outlives the gateways that are killed beside it:
 * `node test/network-peer/serve.ts [--seed 1] [--control 0] [--keep 50000]`. It prints one line of JSON, `control` and what
 * `about` tells, and ends with its standard input.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    control: { type: 'string', default: '0' },
    keep: { type: 'string', default: '50000' },
  },
});

const peer = await startPeer({ seed: Number(values.seed), keep: Number(values.keep) });
const commands = commandsOf(peer);
const control = await startControl(commands, Number(values.control));
process.stdout.write(`${JSON.stringify({ control: control.url, ...commands.about() })}\n`);
process.stdin.resume();
process.stdin.once('end', () => void Promise.all([control.stop(), peer.stop()]));
