/** A question to the network: its input and its answer, both JSON. */
export interface Asks<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

export type None = Readonly<Record<string, never>>;

/**
 * Rate limit of a question. `list`: many records, one request a minute. `read` and `change`: one
 * request a second. `local`: the driver answers without a request to the network. A change whose
 * answer is lost may have happened; we never repeat it.
 */
export type QuestionKind = 'local' | 'list' | 'read' | 'change';
