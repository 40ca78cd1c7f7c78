import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';

/** Something that a tenant calls by a name of its own and contacts refer to by id, so that it can be renamed and removed in one write. */
export interface Label {
  readonly _id: string;
  readonly tenant_id: string;
  /** See patterns/places.ts; the store gives it. */
  readonly place?: number;
  /** Its identity: unique in its tenant. */
  readonly key: string;
  /** Epoch ms. */
  readonly created_at: number;
  readonly updated_at: number;
}

export interface GroupRow extends Label {
  readonly name: string;
}

export interface TagRow extends Label {
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string;
  /** Keys that it had before it was renamed: a look-up by one finds it while no other tag has that name. */
  readonly earlier?: readonly string[];
}

export const ATTRIBUTE_TYPES = ['text', 'number', 'date', 'boolean'] as const;

/** Tokens and segments call it by its key in any case; `key` is that without case. */
export interface AttributeRow extends Label {
  /** The key as it was first written; absent: as `key`. */
  readonly spelled?: string;
  readonly label: string;
  readonly type: (typeof ATTRIBUTE_TYPES)[number];
}

/** A question about contacts under a name. `all` or `any` of the rules, one of the two: actors/services/contacts/segment-rules.ts checks them before they come here. */
export interface SegmentRow extends Label {
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
  /** Of a stored rule about tags: the ids of the tags in `value`, in its order; null where no tag had the name. */
  readonly tag_ids?: readonly (string | null)[];
}

/** A text to be sent again and again, with tokens. */
export interface TemplateRow extends Label {
  readonly name: string;
  readonly message_type: TemplateType;
  /** Of text. */
  readonly body: string | null;
  /** Of all others. */
  readonly media_r2_key: string | null;
  readonly caption: string | null;
  readonly language: string;
  /** Its name in the pack that it came with; null: it came with none. */
  readonly pack: string | null;
  /** Of a template of the vendor's platform, whose text and state are the vendor's; absent: it is the tenant's alone. */
  readonly official?: OfficialTemplate;
}

/** A template of the vendor's platform as it was listed last; its words in lower case. */
export interface OfficialTemplate {
  /** The device by which it was learned of; every number of its account may send it. */
  readonly session_id: string;
  readonly waba_id: string;
  /** The vendor's. */
  readonly id: string;
  readonly name: string;
  /** As the vendor writes it: `en_US`. */
  readonly language: string;
  readonly category: string;
  readonly status: string;
  readonly quality: string | null;
  readonly format: 'named' | 'positional';
  /** The vendor's objects. */
  readonly components: readonly Readonly<Record<string, unknown>>[];
  /** Why it is not approved; null: no reason was given. */
  readonly reason: string | null;
  /** Epoch ms. */
  readonly synced_at: number;
}

export const TEMPLATE_TYPES = ['text', 'image', 'video', 'audio', 'document', 'sticker'] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

/** Labels that rules mean, as they were at one moment. */
export interface NamedLabels {
  readonly groups: readonly GroupRow[];
  readonly tags: readonly TagRow[];
  readonly attributes: readonly AttributeRow[];
}

export interface Labels<T extends Label> {
  /** All of a tenant's, by key. */
  list(tenantId: string): Promise<T[]>;
  find(tenantId: string, id: string): Promise<T | null>;
  /** `taken`: there is one of this key; `full`: the tenant has `limit` of them, however many are added at once. */
  add(row: T, limit: number): Promise<'added' | 'taken' | 'full'>;
  /** Null: there is none, or none that still has the fields `asRead`; `taken`: another one has this key. */
  change(tenantId: string, id: string, patch: Partial<T>, asRead?: Filter): Promise<T | 'taken' | null>;
  remove(tenantId: string, id: string): Promise<void>;
}

/** The kinds of labels of a tenant. */
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

function listIn<T extends Label>(store: Store, name: string): Labels<T> {
  const spec: CollectionSpec = { name, indexes: [{ name: 'by_key', keys: { tenant_id: 1, key: 1 }, unique: true }, placesIndex()] };
  const labels: Collection<T> = store.collection<T>(spec);

  const changed = (which: Filter, $set: Partial<T>): Promise<T | null> =>
    labels.findOneAndUpdate(which, { $set }, { returnDocument: 'after' });

  /** References by its old key still find it. */
  async function renamed(which: Filter, $set: Partial<T>): Promise<T | null> {
    for (;;) {
      const there = await labels.findOne(which);
      if (!there) return null;
      const update = there.key === $set.key ? { $set } : { $set, $addToSet: { earlier: there.key } };
      const after = await labels.findOneAndUpdate({ ...which, key: there.key }, update, { returnDocument: 'after' });
      // Null: it was changed meanwhile.
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
