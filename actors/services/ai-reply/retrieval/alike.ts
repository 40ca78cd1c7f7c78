import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { KnowledgeIndex } from './knowledge-index.ts';

/** A question, in every wording. */
export interface Wordings {
  readonly id: string;
  readonly questions: readonly SafeText[];
}

const NOTHING = safeText('');

/** A question that covers so much of another one, and is covered so much by it, is the same. */
const ALIKE = 0.6;

/** Questions that another one is held against: filled, then asked once. */
export class AlikeQuestions {
  readonly #index = new KnowledgeIndex();

  add(some: readonly Wordings[]): void {
    for (const { id, questions } of some) this.#index.add({ kind: 'answer', id, questions, text: NOTHING });
  }

  /** The one that asks the same; null: none does. */
  find(question: SafeText): string | null {
    this.#index.pack();
    const [hit] = this.#index.search(question, 1);
    if (!hit || hit.score < ALIKE || hit.unit.kind !== 'answer') return null;
    const own = new KnowledgeIndex();
    own.add({ kind: 'answer', id: 'own', questions: [question], text: NOTHING });
    own.pack();
    const isBothWays = hit.unit.questions.some((wording) => (own.search(wording, 1)[0]?.score ?? 0) >= ALIKE);
    return isBothWays ? hit.unit.id : null;
  }
}
