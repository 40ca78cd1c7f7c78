/** Saved answers of one business, with customer questions that they do and do not answer. */
export interface EvaluationSet {
  readonly name: string;
  readonly answers: readonly { readonly id: string; readonly question: string; readonly answer: string }[];
  /** Questions as customers write them, with the id of the right answer. */
  readonly asked: readonly (readonly [text: string, answerId: string])[];
  readonly unanswerable: readonly string[];
}
