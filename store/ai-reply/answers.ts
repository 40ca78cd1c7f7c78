import type { SafeText } from '../../runtime/safe-text.ts';
import { olderThan } from '../paging/page.ts';
import { insertPlaced, type Placed, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface SavedAnswerRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  readonly question: SafeText;
  /** How customers worded the question before the answer was written. */
  readonly wordings: readonly SafeText[];
  readonly answer: SafeText;
  readonly source: 'manual' | 'unanswered';
  readonly created_at: number;
  readonly updated_at: number;
}

export interface SavedAnswers {
  add(row: SavedAnswerRow, limit: number): Promise<boolean>;
  find(tenantId: string, id: string): Promise<SavedAnswerRow | null>;
  page(tenantId: string, page: { limit: number; before: number | null; beforeId: string | null }): AsyncIterable<SavedAnswerRow>;
  all(tenantId: string): Promise<SavedAnswerRow[]>;
  change(
    tenantId: string,
    id: string,
    patch: Partial<Pick<SavedAnswerRow, 'question' | 'answer'>>,
    now: number,
  ): Promise<SavedAnswerRow | null>;
  remove(tenantId: string, id: string): Promise<boolean>;
}

const spec: CollectionSpec = {
  name: 'ai_answers',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } }, placesIndex()],
};

export function savedAnswersIn(store: Store): SavedAnswers {
  const answers: Collection<SavedAnswerRow> = store.collection<SavedAnswerRow>(spec);
  return {
    add: (row, limit) => insertPlaced(answers, row, limit),
    find: (tenant_id, _id) => answers.findOne({ _id, tenant_id }),
    page: (tenant_id, page) => answers.find({ tenant_id, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }),
    all: (tenant_id) => answers.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray(),
    change: (tenant_id, _id, patch, updated_at) =>
      answers.findOneAndUpdate({ _id, tenant_id }, { $set: { ...patch, updated_at } }, { returnDocument: 'after' }),
    remove: async (tenant_id, _id) => (await answers.deleteOne({ _id, tenant_id })).deletedCount === 1,
  };
}
