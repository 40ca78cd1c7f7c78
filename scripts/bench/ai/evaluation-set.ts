export interface EvaluationSet {
  readonly name: string;
  readonly answers: readonly { readonly id: string; readonly question: string; readonly answer: string }[];
  readonly asked: readonly (readonly [text: string, answerId: string])[];
  readonly unanswerable: readonly string[];
}
