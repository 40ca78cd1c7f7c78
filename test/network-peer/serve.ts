import './silent-logger.ts';
import { parseArgs } from 'node:util';
import { startPeer } from './peer.ts';
import { commandsOf } from './process/commands.ts';
import { startControl } from './process/control.ts';

/**
 * Runs the peer in a separate process that outlives the gateways that tests kill: `node test/network-peer/serve.ts
 * [--seed 1] [--control 0] [--keep 50000]`. Prints one line of JSON with `control` and the result of `about`, and
 * exits when its standard input ends.
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
