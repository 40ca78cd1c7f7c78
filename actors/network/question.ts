export interface Asks<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

export type None = Readonly<Record<string, never>>;

/**
 * Limits: one request a minute for `list`, one a second for `read` and `change`, none for `local`.
 * A change whose response is lost may have taken effect, so it is never repeated.
 */
export type QuestionKind = 'local' | 'list' | 'read' | 'change';
