/** Saved answers of one business, what its customers ask, and what they ask that it has no answer for. */
export interface EvaluationSet {
  readonly name: string;
  readonly answers: readonly { readonly id: string; readonly question: string; readonly answer: string }[];
  /** A question as customers write it, and the answer that it wants. */
  readonly asked: readonly (readonly [text: string, answerId: string])[];
  /** Of the same business, but answered nowhere. */
  readonly unanswerable: readonly string[];
}
