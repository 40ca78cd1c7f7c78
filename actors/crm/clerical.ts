import type { ChoreOrder, ChoreRow, Chores } from '../../store/chores.ts';
import type { WordLists } from '../../store/words.ts';
import { newChore } from './chores.ts';

export interface ClericalPorts {
  readonly chores: Chores;
  readonly words: WordLists;
  /** The tenant's clerk may look at once. Losing it loses nothing. */
  hint(tenantId: string): void;
}

/** Long work that is handed to a tenant's clerk. */
export interface Clerical {
  /** Durable when it resolves. `id`: chosen before. */
  order(tenantId: string, order: ChoreOrder, now: number, id?: string): Promise<ChoreRow>;
  find(tenantId: string, id: string): Promise<ChoreRow | null>;
  /** Removes a word: nobody sees it any more when this resolves, and it is taken off every contact. */
  forget(tenantId: string, words: 'groups' | 'tags' | 'attributes', wordId: string, now: number): Promise<void>;
}

export function createClerical({ chores, words, hint }: ClericalPorts): Clerical {
  async function order(tenantId: string, what: ChoreOrder, now: number, id?: string): Promise<ChoreRow> {
    const chore = newChore(tenantId, what, now, id);
    await chores.add(chore);
    hint(tenantId);
    return chore;
  }

  return {
    order,
    find: chores.find,

    async forget(tenantId, kind, word_id, now) {
      // Should this process die between the two, the clerk removes it.
      await order(tenantId, { kind: 'forget', words: kind, word_id }, now);
      await words[kind].remove(tenantId, word_id);
    },
  };
}
