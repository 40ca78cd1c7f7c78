import type Joi from 'joi';
import type { NumberReader } from '../../actors/services/identities/number-reader.ts';
import { cutUnknown } from '../core/cut-unknown.ts';
import { refusalFor } from '../core/faults.ts';
import { describe } from '../core/joi-reflection.ts';
import type { Caller } from '../core/row.ts';
import type { RowInput } from '../core/row-calls.ts';
import type { RowAnswers, RowId } from './answers.ts';
import type { Fields } from './messages.ts';

export interface ToolCall {
  readonly caller: Caller;
  readonly now: number;
  readonly numbers: Pick<NumberReader, 'digits' | 'chat'>;
  ask<Id extends RowId>(id: Id, input?: RowInput): Promise<RowAnswers[Id]>;
  may(id: RowId): boolean;
  /**
   * Returns null if a person has agreed to exactly this action (`act`), otherwise the outcome that
   * the tool must return.
   */
  confirm(act: Confirmable): Outcome | null;
  /** Whether the client can show its user a form; otherwise the model decides what the user sees. */
  readonly asksPerson: boolean;
  countSend(): Promise<void>;
}

export interface Confirmable {
  /** The confirmation is bound to this preview. */
  readonly preview: Fields;
  readonly question: string;
  readonly token: string | undefined;
}

/** `form`: the client shows the form to its user and calls again with the user's response and `state`. */
export type Outcome =
  | { readonly told: Fields; readonly code?: string; readonly isError?: boolean }
  | { readonly form: { readonly message: string; readonly requestedSchema: Fields }; readonly state: string };

/** Hints for clients. They enforce nothing. */
interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

export interface Tool<Args> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: Hints;
  readonly args: Joi.ObjectSchema<Args>;
  /** Endpoints that the tool uses. Callers who may not use all of them do not see the tool. */
  readonly needs: readonly RowId[];
  run(call: ToolCall, args: Args): Promise<Outcome>;
}

export interface AnyTool extends Omit<Tool<unknown>, 'args' | 'run'> {
  readonly args: Joi.ObjectSchema;
  run(call: ToolCall, args: unknown): Promise<Outcome>;
}

export function tool<Args>({ args, run, ...facts }: Tool<Args>): AnyTool {
  const schema = args.prefs({ convert: false, abortEarly: false });
  return {
    ...facts,
    args,
    async run(call, given) {
      const { value, error } = schema.validate(cutUnknown(given, describe(args)));
      if (error) throw refusalFor(error, () => describe(args), 'arguments');
      return run(call, value);
    },
  };
}

export const READS: Hints = { readOnlyHint: true, openWorldHint: false };
