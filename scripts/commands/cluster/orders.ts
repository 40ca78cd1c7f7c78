import { parseArgs } from 'node:util';
import { asError } from '../../../runtime/errors.ts';
import { Failure } from './operator.ts';

export type Order =
  | { readonly do: 'help' }
  | { readonly do: 'nodes' }
  | { readonly do: 'devices' }
  | { readonly do: 'sign-in'; readonly code: string }
  | { readonly do: 'drain' | 'undrain'; readonly node: string }
  | { readonly do: 'move'; readonly device: string; readonly node: string | null }
  | { readonly do: 'rebalance'; readonly dryRun: boolean };

export interface Orders {
  readonly order: Order;
  readonly isJson: boolean;
  /** Null to take the address from the environment. */
  readonly url: string | null;
}

export const USAGE = `Usage: npm run cluster -- <order> [--json] [--url U]

  nodes                   list the nodes and their load
  devices                 list the devices and their nodes
  drain <node>            move all devices off a node; it stays in the cluster and takes no new ones
  undrain <node>          let it accept devices again
  move <device> [<node>]  move a device to a node and pin it there; without a node, to the least loaded one
  rebalance [--dry-run]   even out the load with the fewest moves; --dry-run only shows them

  sign-in <code>          if two-factor is on: open a session with a code from the app; set ADMIN_SESSION to the output

Any node answers for the whole cluster. GATEWAY_URL or --url is the address of one (default: http://127.0.0.1:8080).
ADMIN_SECRET is the operator's secret; without it, the file in DATA_DIR is read. ADMIN_SESSION is needed while two-factor is on.
Exit code 0: done, 1: refused or no answer, 2: invalid arguments.`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  url: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export function readOrders(args: readonly string[]): Orders {
  const { values, positionals } = parsed(args);
  const [verb = 'help', ...names] = positionals;
  const order = values.help ? ({ do: 'help' } as const) : orderOf(verb, names, values['dry-run']);
  return { order, isJson: values.json, url: values.url ?? null };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw misunderstood(asError(cause).message.replace(/\. .*/s, ''));
  }
}

function orderOf(verb: string, names: readonly string[], dryRun: boolean): Order {
  const [name = '', other = null] = names;
  if (dryRun && verb !== 'rebalance') throw misunderstood('--dry-run works only with rebalance');
  switch (verb) {
    case 'help':
    case 'nodes':
    case 'devices':
      takes(verb, names, 0, 0);
      return { do: verb };
    case 'drain':
    case 'undrain':
      takes(verb, names, 1, 1);
      return { do: verb, node: name };
    case 'sign-in':
      takes(verb, names, 1, 1);
      return { do: verb, code: name };
    case 'move':
      takes(verb, names, 1, 2);
      return { do: verb, device: name, node: other };
    case 'rebalance':
      takes(verb, names, 0, 0);
      return { do: verb, dryRun };
    default:
      throw misunderstood(`Unknown subcommand "${verb}"`);
  }
}

const WANTS: Readonly<Record<string, string>> = {
  drain: 'the name of a node',
  undrain: 'the name of a node',
  'sign-in': 'a code from the app',
  move: 'a device and, optionally, a node',
};

function takes(verb: string, names: readonly string[], least: number, most: number): void {
  if (names.length < least || names.length > most) throw misunderstood(`"${verb}" takes ${WANTS[verb] ?? 'nothing more'}`);
}

const misunderstood = (what: string): Failure => new Failure(`${what}. Run npm run cluster -- --help.`, 2);
