import { parseArgs } from 'node:util';
import { asError } from '../../../runtime/errors.ts';
import { Failure } from '../cluster/operator.ts';
import type { Json } from '../narrator.ts';
import type { Api } from './api.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  /** What stands for its value in the help. */
  readonly value?: string;
}

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** What a command has to work with. */
export interface Shell {
  readonly api: Api;
  readonly isJson: boolean;
  /** A line for a person: not among what programs read. */
  say(line: string): void;
  /** A line for whoever reads: of commands that go on. */
  tell(line: string): void;
  /** Asks the person at the terminal. Rejects with a Failure where there is none. */
  ask(question: string): Promise<string>;
}

/** The answer: for programs as it is, for people in words; null: all is said already. */
export interface Shown {
  readonly json: unknown;
  readonly text: string;
}

/** A subcommand, as a row of data: parsing, help and completion are read from this. */
export interface Command {
  readonly name: string;
  /** Its arguments, as the help shows them: `<to> <text…>`. */
  readonly takes?: string;
  readonly about: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** How many arguments; default: none. */
  readonly least?: number;
  readonly most?: number;
  run(shell: Shell, names: readonly string[], options: Options): Promise<Shown | null>;
}

/** Of every command. */
export const COMMON: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', about: 'print the answer of the API as JSON' },
  url: { type: 'string', value: 'U', about: 'the gateway (GATEWAY_URL; default: http://127.0.0.1:8080)' },
  help: { type: 'boolean', about: 'explain the command' },
};

export interface Understood {
  readonly command: Command;
  readonly names: readonly string[];
  readonly options: Options;
}

/** The command that `args` name. Throws a Failure with exit code 2 where they are not understood; null: only its help is asked for. */
export function understood(command: Command, args: readonly string[]): Understood | null {
  const { values, positionals } = parsed(command, args);
  if (values['help'] === true) return null;
  const { least = 0, most = least, name, takes } = command;
  if (positionals.length < least || positionals.length > most) throw misunderstood(`"${name}" takes ${takes ?? 'no argument'}`, name);
  return { command, names: positionals, options: values };
}

function parsed({ name, options }: Command, args: readonly string[]): { values: Options; positionals: readonly string[] } {
  const all = { ...COMMON, ...options };
  const known = Object.fromEntries(Object.entries(all).map(([option, { type }]) => [option, { type }]));
  try {
    return parseArgs({ args: args.map((word) => (word === '-h' ? '--help' : word)), options: known, allowPositionals: true });
  } catch (cause) {
    throw misunderstood(asError(cause).message.replace(/\. .*/s, ''), name);
  }
}

export const misunderstood = (what: string, name?: string): Failure =>
  new Failure(`${what}; see gateway ${name === undefined ? '' : `${name} `}--help.`, 2);

export function helpOf({ name, takes, about, options }: Command): string {
  const rows = Object.entries({ ...options, ...COMMON }).map(([option, facts]) => [
    `--${option}${facts.value ? ` ${facts.value}` : ''}`,
    facts.about,
  ]);
  return [`gateway ${[name, takes].filter(Boolean).join(' ')}`, about, '', ...columns(rows)].join('\n');
}

/** Two columns, indented. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
}

/** The text of an option; undefined where it is not given. */
export const textOf = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** Fields without those that are not given. */
export const given = (fields: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
