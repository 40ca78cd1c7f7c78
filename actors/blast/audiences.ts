import type { Audience } from '../../store/blasts.ts';
import { type AudiencePorts, audienceExists, batchOf, countOf, queryOf } from '../crm/audience.ts';
import { valuesOf } from '../crm/templates.ts';
import { vocabularyOf } from '../crm/vocabulary.ts';
import type { TokenValues } from '../tokens.ts';

/** The next ones of an audience. */
export interface Gathered {
  /** Digits. */
  readonly phones: readonly string[];
  /** Where the next batch begins; null: that was all. */
  readonly next: string | null;
  /** There is no such segment, tag or group any more. */
  readonly isGone: boolean;
}

/** What campaigns ask of the contacts. */
export interface Audiences {
  /** Is there such a segment, tag or contact group? */
  exists(tenantId: string, audience: Audience): Promise<boolean>;
  /** How many contacts it has now. */
  count(tenantId: string, audience: Audience, now: number): Promise<number>;
  /** In a lasting order, after `afterId` ('': from the first). */
  read(tenantId: string, audience: Audience, afterId: string, limit: number, now: number): Promise<Gathered>;
  /** What a text can say of those who are contacts. */
  known(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, TokenValues>>;
}

export function createAudiences(crm: AudiencePorts): Audiences {
  const { words } = crm;

  const exists = (tenantId: string, { by, value }: Audience): Promise<boolean> => audienceExists(crm, tenantId, { [by]: value });

  async function question(tenantId: string, { by, value }: Audience, now: number) {
    return queryOf(words, tenantId, { [by]: value }, await vocabularyOf(words, tenantId), now);
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
