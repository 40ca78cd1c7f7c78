import { present } from '../../runtime/invariant.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** How a tenant's chats find an agent. */
export interface AssignmentRule {
  /** manual: by people only. */
  readonly mode: 'manual' | 'round_robin' | 'least_busy';
  /** Only agents who are online are chosen. */
  readonly only_online: boolean;
}

/** A rule, and whose turn it was. */
export interface AssignmentRow extends AssignmentRule {
  /** The tenant. */
  readonly _id: string;
  /** The agent chosen last; '': none yet. */
  readonly last_agent: string;
  /** Counts the choices: each is made knowing the one before, on whichever node. */
  readonly turn: number;
}

export interface Assignments {
  /** null: never set, which is manual. */
  find(tenantId: string): Promise<AssignmentRow | null>;
  /** Omitted fields are unchanged. */
  save(tenantId: string, rule: Partial<AssignmentRule>): Promise<AssignmentRow>;
  /** Gives this agent the turn after the choice that `row` shows; false: another choice was made meanwhile. */
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
