import type { Audience } from '../../../store/campaigns/campaigns.ts';
import type { TokenValues } from '../../domain/text-tokens.ts';
import { type AudienceDeps, batchOf, countOf, queryOf } from '../contacts/audience.ts';
import { labelIndexOf, tagKey } from '../contacts/labels.ts';
import { valuesOf } from '../contacts/templates.ts';

/** The next ones of an audience. */
export interface Gathered {
  /** Digits. */
  readonly phones: readonly string[];
  /** Where the next batch begins; null: that was all. */
  readonly next: string | null;
  /** There is no such segment, tag or group any more. */
  readonly isGone: boolean;
}

/** The contact queries of campaigns. */
export interface Audiences {
  /** The audience to be stored; null: there is no such segment, tag or contact group. A tag is kept by its id: a rename changes nothing. */
  named(tenantId: string, by: Audience['by'], value: string): Promise<Audience | null>;
  /** Present names of tags, by id. */
  tagNames(tenantId: string): Promise<ReadonlyMap<string, string>>;
  /** How many contacts it has now. */
  count(tenantId: string, audience: Audience, now: number): Promise<number>;
  /** In a lasting order, after `afterId` ('': from the first). */
  read(tenantId: string, audience: Audience, afterId: string, limit: number, now: number): Promise<Gathered>;
  /** The token values for recipients who are contacts. */
  known(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, TokenValues>>;
}

export function createAudiences(crm: AudienceDeps): Audiences {
  const { labels } = crm;

  async function named(tenantId: string, by: Audience['by'], value: string): Promise<Audience | null> {
    if (by === 'segment_id') return (await labels.segments.find(tenantId, value)) && { by, value };
    if (by === 'group_id') return (await labels.groups.find(tenantId, value)) && { by, value };
    const tag = (await labelIndexOf(labels, tenantId)).tags.everCalled(tagKey(value));
    return tag ? { by, value, tag_id: tag._id } : null;
  }

  const isGone = async (tenantId: string, { by, value, tag_id }: Audience): Promise<boolean> =>
    (tag_id === undefined ? await named(tenantId, by, value) : await labels.tags.find(tenantId, tag_id)) === null;

  async function question(tenantId: string, { by, value, tag_id }: Audience, now: number) {
    return queryOf(labels, tenantId, tag_id === undefined ? { [by]: value } : { tag_id }, await labelIndexOf(labels, tenantId), now);
  }

  return {
    named,
    tagNames: async (tenantId) => new Map((await labels.tags.list(tenantId)).map(({ _id, name }) => [_id, name])),
    count: async (tenantId, audience, now) => countOf(crm, tenantId, await question(tenantId, audience, now)),

    async read(tenantId, audience, afterId, limit, now) {
      if (await isGone(tenantId, audience)) return { phones: [], next: null, isGone: true };
      const { rows, next } = await batchOf(crm, tenantId, await question(tenantId, audience, now), afterId, limit);
      return { phones: rows.map(({ phone }) => phone), next, isGone: false };
    },

    known: (tenantId, phones) => valuesOf(crm, tenantId, phones),
  };
}
