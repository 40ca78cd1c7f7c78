import { present } from '../../runtime/invariant.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface AssignmentRule {
  readonly mode: 'manual' | 'round_robin' | 'least_busy';
  readonly only_online: boolean;
}

export interface AssignmentRow extends AssignmentRule {
  readonly _id: string;
  readonly last_agent: string;
  /**
   * Number of assignments so far. An assignment is stored only if this number is unchanged, so
   * concurrent nodes cannot choose from the same state.
   */
  readonly turn: number;
}

export interface Assignments {
  find(tenantId: string): Promise<AssignmentRow | null>;
  save(tenantId: string, rule: Partial<AssignmentRule>): Promise<AssignmentRow>;
  /** Returns false if someone else made an assignment after `row` was read. */
  take(row: AssignmentRow, agentId: string): Promise<boolean>;
}

export const MANUAL: AssignmentRule = { mode: 'manual', only_online: false };

const spec: CollectionSpec = { name: 'assignments', indexes: [] };

export function assignmentsIn(store: Store): Assignments {
  const assignments: Collection<AssignmentRow> = store.collection<AssignmentRow>(spec);

  async function save(_id: string, rule: Partial<AssignmentRule>): Promise<AssignmentRow> {
    const fresh = { ...MANUAL, last_agent: '', turn: 0, ...rule };
    try {
      await assignments.insertOne({ _id, ...fresh });
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      if (Object.keys(rule).length > 0) await assignments.updateOne({ _id }, { $set: rule });
    }
    return present(await assignments.findOne({ _id }), `the assignment rule of ${_id}`);
  }

  return {
    find: (_id) => assignments.findOne({ _id }),
    save,
    take: async ({ _id, turn }, last_agent) =>
      (await assignments.updateOne({ _id, turn }, { $set: { last_agent }, $inc: { turn: 1 } })).matchedCount === 1,
  };
}
