import { systemClock } from '../../runtime/clock.ts';
import { FAULT_NAMES, type FaultName, isFault } from './faults.ts';
import { GUARDS } from './guards.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

export interface Options {
  readonly mongodbUrl: string;
  readonly seconds: number;
  readonly seed: number;
  readonly devices: number;
  readonly rate: number;
  readonly faults: readonly FaultName[];
  readonly scenarios: readonly Scenario[];
  readonly isFigures: boolean;
}

const DEFAULTS = { seconds: 120, devices: 30, rate: 30 };

/** `--only` takes names of faults (then only the storm runs) or of guards (then the storm is skipped). */
export function optionsIn(argv: readonly string[], env: NodeJS.ProcessEnv): Options {
  const mongodbUrl = env['MONGODB_URL'];
  if (!mongodbUrl) throw new Error('MONGODB_URL must name a server: the nodes of a cluster share one.');
  const only = textIn(argv, '--only')?.split(',') ?? [];
  const stranger = only.find((name) => !isFault(name) && !isGuard(name));
  if (stranger) throw new Error(`--only: ${stranger} is none of ${[...FAULT_NAMES, ...GUARDS.slice(1)].join(', ')}.`);
  return {
    mongodbUrl,
    seconds: numberIn(argv, '--seconds', DEFAULTS.seconds),
    seed: numberIn(argv, '--seed', systemClock.now() % 1_000_000),
    devices: numberIn(argv, '--devices', DEFAULTS.devices),
    rate: numberIn(argv, '--rate', DEFAULTS.rate),
    faults: only.length === 0 ? FAULT_NAMES : only.filter(isFault),
    scenarios: only.length === 0 ? SCENARIOS : SCENARIOS.filter(({ guard }) => only.includes(guard)),
    isFigures: argv.includes('--figures'),
  };
}

const isGuard = (name: string): boolean => SCENARIOS.some(({ guard }) => guard === name);

function textIn(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(name);
  return at === -1 ? undefined : argv[at + 1];
}

function numberIn(argv: readonly string[], name: string, otherwise: number): number {
  const text = textIn(argv, name);
  const number = Number(text ?? otherwise);
  if (!Number.isInteger(number) || number < 0) throw new Error(`${name} must be a whole number, not ${text}.`);
  return number;
}
