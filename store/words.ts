import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from './collection.ts';

/** Something that a tenant calls by a name of its own and contacts refer to by id, so that it can be renamed and removed in one write. */
export interface Word {
  readonly _id: string;
  readonly tenant_id: string;
  /** What makes it the same one: unique in its tenant. */
  readonly key: string;
  /** Epoch ms. */
  readonly created_at: number;
  readonly updated_at: number;
}

export interface GroupRow extends Word {
  readonly name: string;
}

export interface TagRow extends Word {
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string;
}

export const ATTRIBUTE_TYPES = ['text', 'number', 'date', 'boolean'] as const;

/** `key` is what tokens and segments call it. */
export interface AttributeRow extends Word {
  readonly label: string;
  readonly type: (typeof ATTRIBUTE_TYPES)[number];
}

/** A question about contacts under a name. `all` or `any` of the rules, one of the two: actors/crm/segment-rules.ts checks them before they come here. */
export interface SegmentRow extends Word {
  readonly name: string;
  readonly rules: SegmentRules;
}

export interface SegmentRules {
  readonly all?: readonly SegmentRule[];
  readonly any?: readonly SegmentRule[];
}

/** `value` is a text or a number; a list of texts for `in`, true or false for `exists`, a count of days for `within_days`. */
export interface SegmentRule {
  readonly field: string;
  readonly op: 'is' | 'is_not' | 'contains' | 'starts_with' | 'in' | 'gt' | 'lt' | 'exists' | 'within_days';
  readonly value?: string | number | boolean | readonly string[];
}

/** A text to be sent again and again, with tokens (api.md "Sends that come later"). */
export interface TemplateRow extends Word {
  readonly name: string;
  readonly message_type: TemplateType;
  /** Of text. */
  readonly body: string | null;
  /** Of all others. */
  readonly media_r2_key: string | null;
  readonly caption: string | null;
  readonly language: string;
  /** What it is called in the pack that it came with; null: in none. */
  readonly pack: string | null;
}

export const TEMPLATE_TYPES = ['text', 'image', 'video', 'audio', 'document', 'sticker'] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

export interface Words<T extends Word> {
  /** All of a tenant's, by key. */
  list(tenantId: string): Promise<T[]>;
  find(tenantId: string, id: string): Promise<T | null>;
  /** False: there is one of this key. */
  add(row: T): Promise<boolean>;
  /** Null: there is none; `taken`: another one has this key. */
  change(tenantId: string, id: string, patch: Partial<T>): Promise<T | 'taken' | null>;
  remove(tenantId: string, id: string): Promise<void>;
}

/** What a tenant has names for. */
export interface WordLists {
  readonly groups: Words<GroupRow>;
  readonly tags: Words<TagRow>;
  readonly attributes: Words<AttributeRow>;
  readonly segments: Words<SegmentRow>;
  readonly templates: Words<TemplateRow>;
}

export function wordsIn(store: Store): WordLists {
  return {
    groups: listIn<GroupRow>(store, 'contact_groups'),
    tags: listIn<TagRow>(store, 'tags'),
    attributes: listIn<AttributeRow>(store, 'attributes'),
    segments: listIn<SegmentRow>(store, 'segments'),
    templates: listIn<TemplateRow>(store, 'templates'),
  };
}

function listIn<T extends Word>(store: Store, name: string): Words<T> {
  const spec: CollectionSpec = { name, indexes: [{ name: 'by_key', keys: { tenant_id: 1, key: 1 }, unique: true }] };
  const words: Collection<T> = store.collection<T>(spec);

  return {
    list: (tenant_id) => words.find({ tenant_id }, { sort: { key: 1 } }).toArray(),
    find: (tenant_id, _id) => words.findOne({ _id, tenant_id }),
    add: (row) => words.insertOne(row).then(() => true, unlessTaken(false)),
    change: (tenant_id, _id, patch) =>
      words.findOneAndUpdate({ _id, tenant_id }, { $set: patch }, { returnDocument: 'after' }).catch(unlessTaken('taken' as const)),
    remove: async (tenant_id, _id) => void (await words.deleteOne({ _id, tenant_id })),
  };
}

const unlessTaken =
  <A>(answer: A) =>
  (cause: unknown): A => {
    if (isDuplicateKey(cause)) return answer;
    throw cause;
  };
