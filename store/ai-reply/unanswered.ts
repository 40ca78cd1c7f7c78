import type { SafeText } from '../../runtime/safe-text.ts';
import { olderThan, type Page } from '../paging/page.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface Asker {
  readonly session_id: string;
  readonly chat_id: string;
  readonly message_id: string;
  readonly at: number;
}

export interface UnansweredRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly question: SafeText;
  readonly wordings: readonly SafeText[];
  readonly asked: number;
  readonly last_at: number;
  readonly askers: readonly Asker[];
  readonly messages: readonly string[];
  /** Id of the answer written for this question. Present until the answer has been sent. */
  readonly answer_id?: string;
}

export interface Unanswered {
  list(tenantId: string, limit: number): Promise<UnansweredRow[]>;
  page(tenantId: string, page: Page): AsyncIterable<UnansweredRow>;
  find(tenantId: string, id: string): Promise<UnansweredRow | null>;
  add(row: UnansweredRow): Promise<void>;
  askedAgain(id: string, asker: Asker, wording: SafeText): Promise<boolean>;
  remove(tenantId: string, id: string): Promise<boolean>;
  trim(tenantId: string, most: number): Promise<void>;
  removePerson(tenantId: string, chatIds: readonly string[]): Promise<number>;
}

const MAX_ASKERS = 50;
const MAX_WORDINGS = 10;

const spec: CollectionSpec = {
  name: 'ai_unanswered',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, last_at: -1, _id: -1 } }],
  arrays: ['messages'],
};

export function unansweredIn(store: Store): Unanswered {
  const rows: Collection<UnansweredRow> = store.collection<UnansweredRow>(spec);
  const list = (tenant_id: string, limit: number): Promise<UnansweredRow[]> =>
    rows.find({ tenant_id }, { sort: { last_at: -1, _id: -1 }, limit }).toArray();

  return {
    list,
    page: (tenant_id, page) =>
      rows.find({ tenant_id, ...olderThan(page, 'last_at') }, { sort: { last_at: -1, _id: -1 }, limit: page.limit }),
    find: (tenant_id, _id) => rows.findOne({ _id, tenant_id }),
    add: async (row) => void (await rows.insertOne(row)),

    async askedAgain(_id, asker, wording) {
      const { matchedCount } = await rows.updateOne(
        { _id, messages: { $ne: asker.message_id } },
        {
          $set: { last_at: asker.at },
          $inc: { asked: 1 },
          $push: {
            askers: { $each: [asker], $slice: -MAX_ASKERS },
            messages: { $each: [asker.message_id], $slice: -MAX_ASKERS },
            wordings: { $each: [wording], $slice: -MAX_WORDINGS },
          },
        },
      );
      return matchedCount === 1;
    },

    remove: async (tenant_id, _id) => (await rows.deleteOne({ _id, tenant_id })).deletedCount === 1,

    async trim(tenant_id, most) {
      const beyond = await rows.find({ tenant_id }, { sort: { last_at: -1, _id: -1 }, skip: most, projection: { _id: 1 } }).toArray();
      for (const { _id } of beyond) await rows.deleteOne({ _id });
    },

    async removePerson(tenant_id, chatIds) {
      const isTheirs = (chatId: string): boolean => chatIds.includes(chatId);
      const theirs = (await list(tenant_id, Number.MAX_SAFE_INTEGER)).filter(({ askers }) => askers.some((one) => isTheirs(one.chat_id)));
      // The row does not record which person used which wording, so the whole row is removed.
      for (const { _id } of theirs) await rows.deleteOne({ _id });
      return theirs.length;
    },
  };
}
