import type { Audience } from '../../../store/campaigns/campaigns.ts';
import type { TokenValues } from '../../domain/text-tokens.ts';
import { type Audience as Asked, type AudienceDeps, batchOf, countOf, queryOf } from '../contacts/audience.ts';
import { labelIndexOf, tagKey } from '../contacts/labels.ts';
import { valuesOf } from '../contacts/templates.ts';

export interface Gathered {
  /** Digits or hidden addresses. */
  readonly phones: readonly string[];
  readonly next: string | null;
  readonly isGone: boolean;
}

/** An id or a name, the names of several tags, or true for all contacts. */
export type AudienceValue = string | readonly string[] | true;

export interface ReadFrom {
  readonly afterId: string;
  readonly limit: number;
}

export interface Audiences {
  /** Returns null if the audience does not exist. Tags are stored by id, so they can be renamed. */
  named(tenantId: string, by: Audience['by'], value: AudienceValue): Promise<Audience | null>;
  tagIds(tenantId: string, names: readonly string[]): Promise<readonly string[] | null>;
  tagNames(tenantId: string): Promise<ReadonlyMap<string, string>>;
  count(tenantId: string, audience: Audience, exclude: readonly string[], now: number): Promise<number>;
  read(tenantId: string, audience: Audience, exclude: readonly string[], from: ReadFrom, now: number): Promise<Gathered>;
  tagged(tenantId: string, tagIds: readonly string[], phones: readonly string[]): Promise<ReadonlySet<string>>;
  known(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, TokenValues>>;
}

export function createAudiences(crm: AudienceDeps): Audiences {
  const { labels } = crm;

  async function tagIds(tenantId: string, names: readonly string[]): Promise<readonly string[] | null> {
    const { tags } = await labelIndexOf(labels, tenantId);
    const ids = names.flatMap((name) => tags.everCalled(tagKey(name))?._id ?? []);
    return ids.length === names.length ? [...new Set(ids)] : null;
  }

  async function named(tenantId: string, by: Audience['by'], value: AudienceValue): Promise<Audience | null> {
    if (value === true) return { by, value: '' };
    if (typeof value !== 'string') {
      const tag_ids = await tagIds(tenantId, value);
      return tag_ids && { by, value: '', tag_ids };
    }
    if (by === 'segment_id') return (await labels.segments.find(tenantId, value)) && { by, value };
    if (by === 'group_id') return (await labels.groups.find(tenantId, value)) && { by, value };
    const [tag_id] = (await tagIds(tenantId, [value])) ?? [];
    return tag_id === undefined ? null : { by, value, tag_id };
  }

  async function isGone(tenantId: string, { by, value, tag_id, tag_ids }: Audience): Promise<boolean> {
    if (by === 'all_contacts') return false;
    if (tag_ids) {
      const { tags } = await labelIndexOf(labels, tenantId);
      return tag_ids.every((id) => !tags.byId(id));
    }
    return (tag_id === undefined ? await named(tenantId, by, value) : await labels.tags.find(tenantId, tag_id)) === null;
  }

  async function question(tenantId: string, audience: Audience, exclude: readonly string[], now: number) {
    const without = exclude.length > 0 && { without_tag_ids: exclude };
    return queryOf(labels, tenantId, { ...asked(audience), ...without }, await labelIndexOf(labels, tenantId), now);
  }

  return {
    named,
    tagIds,
    tagNames: async (tenantId) => new Map((await labels.tags.list(tenantId)).map(({ _id, name }) => [_id, name])),
    count: async (tenantId, audience, exclude, now) => countOf(crm, tenantId, await question(tenantId, audience, exclude, now)),

    async read(tenantId, audience, exclude, { afterId, limit }, now) {
      if (await isGone(tenantId, audience)) return { phones: [], next: null, isGone: true };
      const { rows, next } = await batchOf(crm, tenantId, await question(tenantId, audience, exclude, now), afterId, limit);
      return { phones: rows.map(({ phone }) => phone), next, isGone: false };
    },

    async tagged(tenantId, ids, phones) {
      if (ids.length === 0) return new Set();
      const found = await crm.contacts.byPhones(tenantId, phones);
      return new Set(found.filter(({ tag_ids }) => tag_ids.some((id) => ids.includes(id))).map(({ phone }) => phone));
    },

    known: (tenantId, phones) => valuesOf(crm, tenantId, phones),
  };
}

function asked({ by, value, tag_id, tag_ids }: Audience): Asked {
  if (by === 'all_contacts') return {};
  if (tag_ids) return { tag_ids };
  return tag_id === undefined ? { [by]: value } : { tag_id };
}
