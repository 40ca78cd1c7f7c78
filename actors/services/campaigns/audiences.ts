import type { Audience } from '../../../store/campaigns/campaigns.ts';
import type { TokenValues } from '../../domain/text-tokens.ts';
import { type AudienceDeps, audienceExists, batchOf, countOf, queryOf } from '../contacts/audience.ts';
import { labelIndexOf } from '../contacts/labels.ts';
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
  /** Is there such a segment, tag or contact group? */
  exists(tenantId: string, audience: Audience): Promise<boolean>;
  /** How many contacts it has now. */
  count(tenantId: string, audience: Audience, now: number): Promise<number>;
  /** In a lasting order, after `afterId` ('': from the first). */
  read(tenantId: string, audience: Audience, afterId: string, limit: number, now: number): Promise<Gathered>;
  /** The token values for recipients who are contacts. */
  known(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, TokenValues>>;
}

export function createAudiences(crm: AudienceDeps): Audiences {
  const { labels } = crm;

  const exists = (tenantId: string, { by, value }: Audience): Promise<boolean> => audienceExists(crm, tenantId, { [by]: value });

  async function question(tenantId: string, { by, value }: Audience, now: number) {
    return queryOf(labels, tenantId, { [by]: value }, await labelIndexOf(labels, tenantId), now);
  }

  return {
    exists,
    count: async (tenantId, audience, now) => countOf(crm, tenantId, await question(tenantId, audience, now)),

    async read(tenantId, audience, afterId, limit, now) {
      if (!(await exists(tenantId, audience))) return { phones: [], next: null, isGone: true };
      const { rows, next } = await batchOf(crm, tenantId, await question(tenantId, audience, now), afterId, limit);
      return { phones: rows.map(({ phone }) => phone), next, isGone: false };
    },

    known: (tenantId, phones) => valuesOf(crm, tenantId, phones),
  };
}
