import { parseArgs } from 'node:util';
import { asError } from '../../../runtime/errors.ts';
import { Failure } from '../cluster/operator.ts';
import type { Json } from '../narrator.ts';
import type { Api } from './api.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  readonly value?: string;
}

export type Options = Readonly<Record<string, string | boolean | undefined>>;

export interface Shell {
  readonly api: Api;
  readonly isJson: boolean;
  /** With JSON output, progress lines go to standard error. */
  say(line: string): void;
  tell(line: string): void;
  /** If there is no terminal, rejects with a Failure that names `option`. */
  ask(question: string, option: string): Promise<string>;
}

/** Null if the command has already printed everything. */
export interface Shown {
  readonly json: unknown;
  readonly text: string;
}

export interface Command {
  readonly name: string;
  readonly takes?: string;
  readonly about: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** Allowed number of arguments. `least` defaults to 0, and `most` defaults to `least`. */
  readonly least?: number;
  readonly most?: number;
  run(shell: Shell, names: readonly string[], options: Options): Promise<Shown | null>;
}

export const COMMON: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', about: 'print the API response as JSON' },
  url: { type: 'string', value: 'U', about: 'the gateway (GATEWAY_URL; default: http://127.0.0.1:8080)' },
  help: { type: 'boolean', about: 'show help for this command' },
};

export interface Understood {
  readonly command: Command;
  readonly names: readonly string[];
  readonly options: Options;
}

/** Returns null if only help is requested. Throws a Failure (exit code 2) for invalid arguments. */
export function understood(command: Command, args: readonly string[]): Understood | null {
  const { values, positionals } = parsed(command, args);
  if (values['help'] === true) return null;
  const { least = 0, most = least, name, takes } = command;
  if (positionals.length < least || positionals.length > most)
    throw misunderstood(takes === undefined ? `"${name}" takes no arguments` : `Usage: gateway ${name} ${takes}`, name);
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
  new Failure(`${what}. Run gateway ${name === undefined ? '' : `${name} `}--help.`, 2);

export function helpOf({ name, takes, about, options }: Command): string {
  const rows = Object.entries({ ...options, ...COMMON }).map(([option, facts]) => [
    `--${option}${facts.value ? ` ${facts.value}` : ''}`,
    facts.about,
  ]);
  return [`gateway ${[name, takes].filter(Boolean).join(' ')}`, about, '', ...columns(rows)].join('\n');
}

export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
}

export const textOf = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

export const given = (fields: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
