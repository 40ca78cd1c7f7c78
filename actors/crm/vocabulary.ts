import { newId } from '../../runtime/ids.ts';
import { folded } from '../../store/contacts.ts';
import type { AttributeRow, GroupRow, TagRow, Word, WordLists, Words } from '../../store/words.ts';
import { refusal } from '../refusals.ts';
import { ATTRIBUTE_KEY } from '../tokens.ts';

/** At most so many of each a tenant: lists of them are short, and every contact is read with all of them at hand. */
export const MOST_WORDS = { groups: 1_000, tags: 1_000, attributes: 200 } as const;
export const DEFAULT_COLOR = '#8e8e93';

class Book<T extends Word> {
  readonly #byId: Map<string, T>;
  readonly #byKey: Map<string, T>;

  constructor(rows: readonly T[]) {
    this.#byId = new Map(rows.map((row) => [row._id, row]));
    this.#byKey = new Map(rows.map((row) => [row.key, row]));
  }

  get size(): number {
    return this.#byId.size;
  }

  /** By key. */
  all(): readonly T[] {
    return [...this.#byId.values()];
  }

  byId(id: string): T | undefined {
    return this.#byId.get(id);
  }

  byKey(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  learn(row: T): void {
    this.#byId.set(row._id, row);
    this.#byKey.set(row.key, row);
  }
}

/** Everything a tenant has names for, as read at one moment. What is not in it any more is gone from every contact. */
export interface Vocabulary {
  readonly groups: Book<GroupRow>;
  readonly tags: Book<TagRow>;
  readonly attributes: Book<AttributeRow>;
}

export async function vocabularyOf({ groups, tags, attributes }: WordLists, tenantId: string): Promise<Vocabulary> {
  const [allGroups, allTags, allAttributes] = await Promise.all([groups.list(tenantId), tags.list(tenantId), attributes.list(tenantId)]);
  return { groups: new Book(allGroups), tags: new Book(allTags), attributes: new Book(allAttributes) };
}

/** Where new words are written. */
export interface Scribe {
  readonly words: WordLists;
  readonly tenantId: string;
  /** Words made are added to it. */
  readonly vocabulary: Vocabulary;
  readonly now: number;
}

/** Letter case does not make another tag. */
export const tagKey = folded;

/** The ids of these tags; those that do not exist are made (api.md "Tenant"). Refuses LIMIT_REACHED. */
export async function tagIdsFor({ words, tenantId, vocabulary: { tags }, now }: Scribe, names: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const name of names) ids.add((await wordFor(words.tags, tags, MOST_WORDS.tags, newTag(tenantId, name, DEFAULT_COLOR, now)))._id);
  return [...ids];
}

/** The id of the group of this name, which is made when there is none. Refuses LIMIT_REACHED. */
export async function groupIdFor({ words, tenantId, vocabulary: { groups }, now }: Scribe, name: string): Promise<string> {
  return (await wordFor(words.groups, groups, MOST_WORDS.groups, newGroup(tenantId, name, now)))._id;
}

/** Values by the id of their attribute; attributes that do not exist are made. Refuses LIMIT_REACHED, VALIDATION_FAILED for a key that cannot be one. */
export async function attributesFor(
  { words, tenantId, vocabulary: { attributes }, now }: Scribe,
  attrs: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const byId: Record<string, string> = {};
  for (const [key, value] of Object.entries(attrs)) {
    if (!ATTRIBUTE_KEY.test(key)) throw refusal('VALIDATION_FAILED', { reason: badKey(key) });
    const made = newAttribute(tenantId, { key, label: key, type: 'text' }, now);
    byId[(await wordFor(words.attributes, attributes, MOST_WORDS.attributes, made))._id] = value;
  }
  return byId;
}

async function wordFor<T extends Word>(words: Words<T>, book: Book<T>, most: number, made: T): Promise<T> {
  const known = book.byKey(made.key);
  if (known) return known;
  const row = await added(words, made, book.size < most);
  book.learn(row);
  return row;
}

/** Of two who make the same one at once both get the one that was made. */
async function added<T extends Word>(words: Words<T>, made: T, hasRoom: boolean): Promise<T> {
  if (hasRoom && (await words.add(made))) return made;
  const there = (await words.list(made.tenant_id)).find(({ key }) => key === made.key);
  if (!there) throw refusal('LIMIT_REACHED');
  return there;
}

export function newTag(tenant_id: string, name: string, color: string, now: number): TagRow {
  return { _id: newId(now), tenant_id, key: tagKey(name), name: name.trim(), color, created_at: now, updated_at: now };
}

export function newAttribute(tenant_id: string, fields: Pick<AttributeRow, 'key' | 'label' | 'type'>, now: number): AttributeRow {
  return { _id: newId(now), tenant_id, ...fields, created_at: now, updated_at: now };
}

export function newGroup(tenant_id: string, name: string, now: number): GroupRow {
  return { _id: newId(now), tenant_id, key: folded(name), name: name.trim(), created_at: now, updated_at: now };
}

const badKey = (key: string) => ({
  en: `attrs.${key.slice(0, 40)}: a key has 1 to 40 of a-z, 0-9 and _, a letter first`,
  id: `attrs.${key.slice(0, 40)}: kunci terdiri dari 1 sampai 40 karakter a-z, 0-9 dan _, diawali huruf`,
});
