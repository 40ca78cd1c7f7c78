import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { KnowledgeIndex } from './knowledge-index.ts';

export interface Wordings {
  readonly id: string;
  readonly questions: readonly SafeText[];
}

const NOTHING = safeText('');

/** Two questions count as the same if each contains at least this share of the other's weight. */
const ALIKE = 0.6;

export class AlikeQuestions {
  readonly #index = new KnowledgeIndex();

  add(some: readonly Wordings[]): void {
    for (const { id, questions } of some) this.#index.add({ kind: 'answer', id, questions, text: NOTHING });
  }

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
