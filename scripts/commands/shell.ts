import { createInterface } from 'node:readline/promises';
import { Failure } from './cluster/operator.ts';
import { ACCOUNT } from './shell/account.ts';
import { Api } from './shell/api.ts';
import { BRIDGE } from './shell/bridge.ts';
import { CAMPAIGNS } from './shell/campaigns.ts';
import { type Command, columns, helpOf, misunderstood, type Shell, textOf, understood } from './shell/command.ts';
import { completionFor } from './shell/completion.ts';
import { COSTS } from './shell/costs.ts';
import { DEVICES } from './shell/devices.ts';
import { LISTEN } from './shell/listen/listen.ts';
import { MESSAGES } from './shell/messages.ts';
import { MOVE_IN } from './shell/move-in/move-in.ts';
import { PROBE } from './shell/probe/probe.ts';
import { WHY } from './shell/why.ts';

const HERE = 'http://127.0.0.1:8080';

const COMPLETION: Command = {
  name: 'completion',
  takes: '<bash|zsh|fish>',
  about: 'Print a script that completes commands and options: `source <(gateway completion bash)`.',
  least: 1,
  run: async (_shell, [shell = '']) => ({ json: { shell }, text: completionFor(shell, known()) }),
};

const OWN: readonly (Pick<Command, 'name' | 'about' | 'takes'> & { readonly file: string; readonly orders: readonly string[] })[] = [
  {
    name: 'cluster',
    takes: '<order>',
    about: "Manage the nodes of a cluster, with the operator's secret: nodes, devices, drain, move, rebalance.",
    file: './cluster.ts',
    orders: ['nodes', 'devices', 'drain', 'undrain', 'move', 'rebalance', 'sign-in'],
  },
  {
    name: 'operator',
    takes: 'reset-2fa',
    about: "Turn off the operators' second factor, on the machine of a node.",
    file: './operator.ts',
    orders: ['reset-2fa'],
  },
];

const COMMANDS: readonly Command[] = [
  ...ACCOUNT,
  ...DEVICES,
  ...MOVE_IN,
  ...MESSAGES,
  ...WHY,
  ...PROBE,
  ...LISTEN,
  ...BRIDGE,
  ...CAMPAIGNS,
  ...COSTS,
  COMPLETION,
];

function known(): readonly Command[] {
  return [
    ...COMMANDS,
    ...OWN.flatMap(({ name, about, orders }) =>
      orders.map((order): Command => ({ name: `${name} ${order}`, about, run: async () => null })),
    ),
  ];
}

const USAGE = [
  'Usage: gateway <command> [--json] [--url U]',
  '',
  ...columns([...COMMANDS, ...OWN].map(({ name, takes, about }) => [[name, takes].filter(Boolean).join(' '), firstSentence(about)])),
  '',
  'Run gateway <command> --help for the options of a command.',
  'GATEWAY_URL or --url: the address of the gateway (default: http://127.0.0.1:8080).',
  'GATEWAY_KEY: an API key to use instead of the login that `gateway sign-in` stored.',
  'Exit code 0: done, 1: refused or no answer, 2: wrong usage.',
].join('\n');

function firstSentence(text: string): string {
  return text.replace(/(?<=[.:]) .*/s, '').replace(/:$/, '.');
}

async function main(args: readonly string[]): Promise<void> {
  const [first = '--help', second = ''] = args;
  if (first === '--help' || first === '-h' || first === 'help') return write(USAGE);
  const own = OWN.find(({ name }) => name === first);
  if (own) return handOver(own.file, args.slice(1));
  const command = COMMANDS.find(({ name }) => name === `${first} ${second}`) ?? COMMANDS.find(({ name }) => name === first);
  if (!command) return unknown(first, second);
  const found = understood(command, args.slice(command.name.split(' ').length));
  if (!found) return write(helpOf(command));
  const { names, options } = found;
  const isJson = options['json'] === true;
  const api = new Api(textOf(options, 'url') ?? (process.env['GATEWAY_URL'] || HERE), process.env);
  const shown = await command.run(shellFor(api, isJson), names, options);
  if (shown) write(isJson ? JSON.stringify(shown.json, null, 2) : shown.text);
}

async function handOver(file: string, args: readonly string[]): Promise<void> {
  process.argv.splice(2, process.argv.length, ...args);
  await import(new URL(file, import.meta.url).href);
}

function unknown(first: string, second: string): void {
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length === 0) throw misunderstood(`Unknown command "${first}"`);
  if (second === '' || second === '--help' || second === '-h') return write(group.map(helpOf).join('\n\n'));
  throw misunderstood(`"${first}" needs one of ${group.map(({ name }) => name.slice(first.length + 1)).join(', ')}`);
}

const shellFor = (api: Api, isJson: boolean): Shell => ({
  api,
  isJson,
  tell: write,
  say: (line) => void (isJson ? process.stderr : process.stdout).write(`${line}\n`),
  async ask(question, option) {
    if (!process.stdin.isTTY) throw new Failure(`Not a terminal. Run again with ${option}.`, 2);
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return (await terminal.question(question)).trim();
    } finally {
      terminal.close();
    }
  },
});

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main(process.argv.slice(2)).catch((cause: unknown) => {
  if (!(cause instanceof Failure)) throw cause;
  process.stderr.write(`${cause.message}\n`);
  process.exitCode = cause.exitCode;
});
