export interface Asks<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

export type None = Readonly<Record<string, never>>;

/** Rate limits: `list` once a minute, `read` and `change` once a second. A `change` is never retried. */
export type QuestionKind = 'local' | 'list' | 'read' | 'change';
