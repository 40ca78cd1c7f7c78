/** A question to the network: its input and its answer, both JSON. */
export interface Asks<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

export type None = Readonly<Record<string, never>>;

/**
 * Rate limits: one request a minute for `list`, one a second for `read` and `change`; `local` does
 * not send a request. A change whose response is lost may have taken effect, so it is never
 * repeated.
 */
export type QuestionKind = 'local' | 'list' | 'read' | 'change';
