/** A question: what goes in and what comes out, both JSON. */
export interface Asks<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

export type None = Readonly<Record<string, never>>;

/**
 * `list`: many records, once a minute. `read` and `change`: one a second. `local`: the driver knows it without asking the network. A change whose
 * answer is lost may have happened, and is never repeated by us.
 */
export type QuestionKind = 'local' | 'list' | 'read' | 'change';
