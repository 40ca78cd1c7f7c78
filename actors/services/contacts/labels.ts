import { newId } from '../../../runtime/ids.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import type { AttributeRow, GroupRow, Label, LabelLists, Labels, NamedLabels, TagRow } from '../../../store/contacts/labels.ts';
import { beyondLimit, expectListed } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { ATTRIBUTE_KEY } from '../../domain/text-tokens.ts';

/** The limits are small, because all labels are held in memory while contacts are read. */
export const MAX_LABELS = { groups: 1_000, tags: 1_000, attributes: 200 } as const;
export const DEFAULT_COLOR = '#8e8e93';

class IndexedLabels<T extends Label & { readonly earlier?: readonly string[] }> {
  readonly #byId: Map<string, T>;
  readonly #byKey: Map<string, T>;
  readonly #former = new Map<string, readonly T[]>();

  /** If a label in `named` and one in `rows` have the same key, the label in `named` wins. */
  constructor(rows: readonly T[], named: readonly T[]) {
    this.#byId = new Map([...rows, ...named].map((row) => [row._id, row]));
    this.#byKey = new Map([...rows, ...named].map((row) => [row.key, row]));
    for (const row of this.#byId.values())
      for (const key of row.earlier ?? []) this.#former.set(key, [...(this.#former.get(key) ?? []), row]);
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): readonly T[] {
    return [...this.#byId.values()];
  }

  byId(id: string): T | undefined {
    return this.#byId.get(id);
  }

  byKey(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  /** Returns the label with this key, or else the last label that had it before being renamed. */
  everCalled(key: string): T | undefined {
    return this.byKey(key) ?? this.#former.get(key)?.at(-1);
  }

  /** Returns the label that had the key at the time `at`. A newer label may have taken over the key. */
  meantAt(key: string, at: number): T | undefined {
    const current = this.byKey(key);
    if (current && current.created_at <= at) return current;
    const [oldest] = (this.#former.get(key) ?? []).toSorted((one, other) => one.created_at - other.created_at);
    return oldest ?? current;
  }

  learn(row: T): void {
    this.#byId.set(row._id, row);
    this.#byKey.set(row.key, row);
  }
}

/** Labels by id. If an id is not in the index, its label was removed. */
export interface LabelIndex {
  readonly groups: IndexedLabels<GroupRow>;
  readonly tags: IndexedLabels<TagRow>;
  readonly attributes: IndexedLabels<AttributeRow>;
}

export async function labelIndexOf(lists: LabelLists, tenantId: string, named: NamedLabels = NONE): Promise<LabelIndex> {
  const [groups, tags, attributes] = await Promise.all([
    lists.groups.list(tenantId),
    lists.tags.list(tenantId),
    lists.attributes.list(tenantId),
  ]);
  return {
    groups: new IndexedLabels(groups, named.groups),
    tags: new IndexedLabels(tags, named.tags),
    attributes: new IndexedLabels(attributes, named.attributes),
  };
}

const NONE: NamedLabels = { groups: [], tags: [], attributes: [] };

export interface LabelWriter {
  readonly labels: LabelLists;
  readonly tenantId: string;
  readonly labelIndex: LabelIndex;
  readonly now: number;
}

export const tagKey = folded;

export async function tagIdsFor({ labels, tenantId, labelIndex: { tags }, now }: LabelWriter, names: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const name of names) ids.add((await labelFor(labels.tags, tags, MAX_LABELS.tags, newTag(tenantId, name, DEFAULT_COLOR, now)))._id);
  return [...ids];
}

export async function groupIdFor({ labels, tenantId, labelIndex: { groups }, now }: LabelWriter, name: string): Promise<string> {
  return (await labelFor(labels.groups, groups, MAX_LABELS.groups, newGroup(tenantId, name, now)))._id;
}

/** Returns values by attribute id. Fails with LIMIT_REACHED or VALIDATION_FAILED (invalid key). */
export async function attributesFor(
  { labels, tenantId, labelIndex: { attributes }, now }: LabelWriter,
  attrs: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const byId: Record<string, string> = {};
  for (const [key, value] of Object.entries(attrs)) {
    if (!ATTRIBUTE_KEY.test(key)) throw refusal('VALIDATION_FAILED', { field: `attrs.${key.slice(0, 64)}`, reason: badKey(key) });
    const made = newAttribute(tenantId, { key, label: key, type: 'text' }, now);
    byId[(await labelFor(labels.attributes, attributes, MAX_LABELS.attributes, made))._id] = value;
  }
  return byId;
}

async function labelFor<T extends Label>(labels: Labels<T>, known: IndexedLabels<T>, most: number, made: T): Promise<T> {
  if (!known.byKey(made.key) && known.size < most) {
    if ((await labels.add(made, most)) === 'added') known.learn(made);
    else for (const row of await labels.list(made.tenant_id)) known.learn(row);
  }
  const there = known.byKey(made.key);
  if (!there) throw beyondLimit(most, THINGS);
  return there;
}

/** Fails with LIMIT_REACHED if all labels are too large. Concurrent calls can exceed the limit. */
export async function expectListable<T extends Label>(labels: Labels<T>, row: T, before: T | null, things: typeof THINGS): Promise<void> {
  const more = bytesOf(row) - (before ? bytesOf(before) : 0);
  if (more <= 0) return;
  const there = (await labels.list(row.tenant_id)).reduce((sum, one) => sum + bytesOf(one), 0);
  expectListed(there + more, things);
}

const bytesOf = (row: Label): number => Buffer.byteLength(JSON.stringify(row));

const THINGS = { en: 'names of this kind (tags, groups or attributes)', id: 'nama sejenis ini (tag, grup, atau atribut)' };

export function newTag(tenant_id: string, name: string, color: string, now: number): TagRow {
  return { _id: newId(now), tenant_id, key: tagKey(name), name: name.trim(), color, created_at: now, updated_at: now };
}

export function newAttribute(tenant_id: string, fields: Pick<AttributeRow, 'key' | 'label' | 'type'>, now: number): AttributeRow {
  const { key: spelled, label, type } = fields;
  return { _id: newId(now), tenant_id, key: folded(spelled), spelled, label, type, created_at: now, updated_at: now };
}

export const keyOf = ({ key, spelled }: Pick<AttributeRow, 'key' | 'spelled'>): string => spelled ?? key;

export function newGroup(tenant_id: string, name: string, now: number): GroupRow {
  return { _id: newId(now), tenant_id, key: folded(name), name: name.trim(), created_at: now, updated_at: now };
}

const badKey = (key: string) => ({
  en: `attrs.${key.slice(0, 40)}: a key has 1 to 64 letters, digits, _ and -, and starts with a letter`,
  id: `attrs.${key.slice(0, 40)}: kunci terdiri dari 1 sampai 64 huruf, angka, _ dan -, diawali huruf`,
});
