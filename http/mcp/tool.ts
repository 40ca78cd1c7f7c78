import type Joi from 'joi';
import type { NumberReader } from '../../actors/services/identities/number-reader.ts';
import { cutUnknown } from '../core/cut-unknown.ts';
import { type FastValidator, fastValidatorOf } from '../core/fast-validator.ts';
import { refusalFor } from '../core/faults.ts';
import { describe } from '../core/joi-reflection.ts';
import type { Caller } from '../core/row.ts';
import type { RowInput } from '../core/row-calls.ts';
import type { RowAnswers, RowId } from './answers.ts';
import type { Fields } from './messages.ts';

/** What a tool has to work with: the endpoints, as its caller. */
export interface ToolCall {
  readonly caller: Caller;
  /** Epoch ms. */
  readonly now: number;
  readonly numbers: Pick<NumberReader, 'digits' | 'chat'>;
  /** Asks a row; refuses as the row does (http/server/row-calls.ts). */
  ask<Id extends RowId>(id: Id, input?: RowInput): Promise<RowAnswers[Id]>;
  /** May the caller use this row at all? */
  may(id: RowId): boolean;
  /**
   * Has a person agreed to this very `act`? Null: they have. Else what to answer: a form for clients that can show one, the refusal where the person
   * said no, or a preview with the token that a second call brings back. A token that does not fit is an error with CONFIRMATION_REQUIRED.
   */
  confirm(act: Confirmable): Outcome | null;
  /** The client can show its person a form; else it is up to the model to show them anything. */
  readonly asksPerson: boolean;
  /** Refuses RATE_LIMITED after so many sends in the last hour. */
  countSend(): Promise<void>;
}

export interface Confirmable {
  /** What is shown to the person, and what the confirmation is bound to. */
  readonly preview: Fields;
  /** The question, in words. */
  readonly question: string;
  readonly token: string | undefined;
}

/** `told`: the result. `form`: the client is to show it to its person and to call again with the answer and with `state`. */
export type Outcome =
  | { readonly told: Fields; readonly code?: string; readonly isError?: boolean }
  | { readonly form: { readonly message: string; readonly requestedSchema: Fields }; readonly state: string };

/** How a client may think of a tool; nothing is safe because of it. */
interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool, as a row of data: an intent that one or several endpoints serve. */
export interface Tool<Args> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: Hints;
  readonly args: Joi.ObjectSchema<Args>;
  /** The rows that it cannot do without: for a caller who may not use all of them there is no such tool. */
  readonly needs: readonly RowId[];
  run(call: ToolCall, args: Args): Promise<Outcome>;
}

/** A tool without the type of its arguments. */
export interface AnyTool extends Omit<Tool<unknown>, 'args' | 'run'> {
  readonly args: Joi.ObjectSchema;
  /** Refuses VALIDATION_FAILED with every fault of the arguments. */
  run(call: ToolCall, args: unknown): Promise<Outcome>;
}

export function tool<Args>({ args, run, ...facts }: Tool<Args>): AnyTool {
  const schema = args.prefs({ convert: false, abortEarly: false });
  let made: FastValidator | null | undefined;
  /** Made at the first call: a start does without those of all tools. */
  const quickly = (): FastValidator | null => {
    if (made === undefined) made = fastValidatorOf(args, { convert: false });
    return made;
  };
  const isPlain = (given: unknown): given is Args => quickly()?.certainly(given) ?? false;
  return {
    ...facts,
    args,
    async run(call, given) {
      // Plainly valid arguments never reach Joi, which is slow.
      if (isPlain(given)) {
        quickly()?.fill?.(given);
        return run(call, given);
      }
      const { value, error } = schema.validate(cutUnknown(given, describe(args)));
      if (error) throw refusalFor(error, () => describe(args), 'arguments');
      return run(call, value);
    },
  };
}

export const READS: Hints = { readOnlyHint: true, openWorldHint: false };
