import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';

/** Contacts refer to labels by id, so that renaming or removing one takes a single write. */
export interface Label {
  readonly _id: string;
  readonly tenant_id: string;
  readonly place?: number;
  readonly key: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/**
 * Maximum number of previous keys. It is low, because they are read with every list of contacts.
 */
const MAX_EARLIER = 20;

export interface GroupRow extends Label {
  readonly name: string;
}

export interface TagRow extends Label {
  readonly name: string;
  readonly color: string;
  /** Previous keys. They still resolve to this tag, unless another tag has since taken the key. */
  readonly earlier?: readonly string[];
}

export const ATTRIBUTE_TYPES = ['text', 'number', 'date', 'boolean'] as const;

/** Matched by its key in any letter case; `key` is the lower-case form. */
export interface AttributeRow extends Label {
  readonly spelled?: string;
  readonly label: string;
  readonly type: (typeof ATTRIBUTE_TYPES)[number];
}

export interface SegmentRow extends Label {
  readonly name: string;
  readonly rules: SegmentRules;
}

export interface SegmentRules {
  readonly all?: readonly SegmentRule[];
  readonly any?: readonly SegmentRule[];
}

/** `value` is text or a number; a list for `in`, a boolean for `exists`, days for `within_days`. */
export interface SegmentRule {
  readonly field: string;
  readonly op: 'is' | 'is_not' | 'contains' | 'starts_with' | 'in' | 'gt' | 'lt' | 'exists' | 'within_days';
  readonly value?: string | number | boolean | readonly string[];
  readonly tag_ids?: readonly (string | null)[];
}

export interface TemplateRow extends Label {
  readonly name: string;
  readonly message_type: TemplateType;
  readonly body: string | null;
  readonly media_r2_key: string | null;
  readonly caption: string | null;
  readonly language: string;
  readonly pack: string | null;
  readonly official?: OfficialTemplate;
}

/** A template as last listed by the vendor, with its enum values in lower case. */
export interface OfficialTemplate {
  readonly session_id: string;
  readonly waba_id: string;
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: string;
  readonly quality: string | null;
  readonly format: 'named' | 'positional';
  readonly components: readonly Readonly<Record<string, unknown>>[];
  readonly reason: string | null;
  readonly synced_at: number;
  /** Present until the event about this state has been recorded. */
  readonly untold?: true;
}

export const TEMPLATE_TYPES = ['text', 'image', 'video', 'audio', 'document', 'sticker'] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

export interface NamedLabels {
  readonly groups: readonly GroupRow[];
  readonly tags: readonly TagRow[];
  readonly attributes: readonly AttributeRow[];
}

export interface Labels<T extends Label> {
  list(tenantId: string): Promise<T[]>;
  find(tenantId: string, id: string): Promise<T | null>;
  /**
   * Returns `taken` if the key exists, or `full` if there are `limit` labels. The check is exact
   * under concurrency.
   */
  add(row: T, limit: number): Promise<'added' | 'taken' | 'full'>;
  change(tenantId: string, id: string, patch: Partial<T>, asRead?: Filter): Promise<T | 'taken' | null>;
  remove(tenantId: string, id: string): Promise<void>;
}

export interface LabelLists {
  readonly groups: Labels<GroupRow>;
  readonly tags: Labels<TagRow>;
  readonly attributes: Labels<AttributeRow>;
  readonly segments: Labels<SegmentRow>;
  readonly templates: Labels<TemplateRow>;
}

export function labelsIn(store: Store): LabelLists {
  return {
    groups: listIn<GroupRow>(store, 'contact_groups'),
    tags: listIn<TagRow>(store, 'tags'),
    attributes: listIn<AttributeRow>(store, 'attributes'),
    segments: listIn<SegmentRow>(store, 'segments'),
    templates: listIn<TemplateRow>(store, 'templates'),
  };
}

function listIn<T extends Label & Pick<TagRow, 'earlier'>>(store: Store, name: string): Labels<T> {
  const spec: CollectionSpec = { name, indexes: [{ name: 'by_key', keys: { tenant_id: 1, key: 1 }, unique: true }, placesIndex()] };
  const labels: Collection<T> = store.collection<T>(spec);

  const changed = (which: Filter, $set: Partial<T>): Promise<T | null> =>
    labels.findOneAndUpdate(which, { $set }, { returnDocument: 'after' });

  async function renamed(which: Filter, $set: Partial<T>): Promise<T | null> {
    for (;;) {
      const there = await labels.findOne(which);
      if (!there) return null;
      const earlier = [...(there.earlier ?? []).filter((key) => key !== there.key), there.key].slice(-MAX_EARLIER);
      const asRead = { ...which, key: there.key, updated_at: there.updated_at };
      const update = { $set: there.key === $set.key ? $set : { ...$set, earlier } };
      const after = await labels.findOneAndUpdate(asRead, update, { returnDocument: 'after' });
      if (after) return after;
    }
  }

  return {
    list: (tenant_id) => labels.find({ tenant_id }, { sort: { key: 1 } }).toArray(),
    find: (tenant_id, _id) => labels.findOne({ _id, tenant_id }),
    add: (row, limit) =>
      insertPlaced(labels, row, limit).then((isIn) => (isIn ? ('added' as const) : ('full' as const)), unlessTaken('taken' as const)),
    change: (tenant_id, _id, patch, asRead = {}) =>
      (patch.key === undefined ? changed : renamed)({ ...asRead, _id, tenant_id }, patch).catch(unlessTaken('taken' as const)),
    remove: async (tenant_id, _id) => void (await labels.deleteOne({ _id, tenant_id })),
  };
}

const unlessTaken =
  <A>(answer: A) =>
  (cause: unknown): A => {
    if (isDuplicateKey(cause)) return answer;
    throw cause;
  };
