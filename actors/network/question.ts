/** A question to the network: its input and its answer, both JSON. */
export interface Asks<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

export type None = Readonly<Record<string, never>>;

/**
 * Rate limits: `list` one request a minute, `read` and `change` one a second, `local` no request. A
 * change whose answer is lost may have happened; we never repeat it.
 */
export type QuestionKind = 'local' | 'list' | 'read' | 'change';
