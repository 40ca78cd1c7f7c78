import { present } from '../../runtime/invariant.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface AssignmentRule {
  /** `manual` when only people assign chats. */
  readonly mode: 'manual' | 'round_robin' | 'least_busy';
  readonly only_online: boolean;
}

export interface AssignmentRow extends AssignmentRule {
  readonly _id: string;
  /** The agent chosen last; '' if no agent has been chosen. */
  readonly last_agent: string;
  /** Number of choices so far; each choice is based on the previous one, on any node. */
  readonly turn: number;
}

export interface Assignments {
  /** Returns the rule; null if it was never set, which means manual. */
  find(tenantId: string): Promise<AssignmentRow | null>;
  /** Changes the rule; omitted fields are unchanged. */
  save(tenantId: string, rule: Partial<AssignmentRule>): Promise<AssignmentRow>;
  /** Records the chosen agent. Returns false if another choice was made since `row` was read. */
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
