import { idFloor } from '../../runtime/ids.ts';
import type { ContactRow } from '../../store/contacts.ts';
import type { WordLists } from '../../store/words.ts';
import { partsOfNumber } from '../phone-numbers.ts';
import { refusal } from '../refusals.ts';
import type { CrmPorts } from './contacts.ts';
import { looking } from './looking.ts';
import type { Candidate, Consent } from './segment-facets.ts';
import { compileSegment, type SegmentQuery } from './segment-query.ts';
import type { Rules } from './segment-rules.ts';
import { tagKey, type Vocabulary, vocabularyOf } from './vocabulary.ts';

export interface AudiencePorts extends CrmPorts {
  /** What is on record of these phones (digits); those of whom nothing is are left out. */
  consentsOf(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, Consent>>;
}

/** Whom a blast or a list is about: everybody for whom all that is named holds. */
export interface Audience {
  readonly segment_id?: string;
  /** A tag's name. */
  readonly tag?: string;
  readonly group_id?: string;
  /** Part of the name or of the number. */
  readonly q?: string;
  /** Digits: a 0 that a number in `q` begins with stands for it. */
  readonly callingCode?: string;
}

export interface ContactPage {
  readonly rows: readonly ContactRow[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: ContactRow | null;
}

export interface Batch {
  readonly rows: readonly ContactRow[];
  /** Where the next batch begins; null: there is none. */
  readonly next: string | null;
}

const LOOKED_AT_TOGETHER = 200;
/** Where the store cannot tell, so many are looked at for one page, so that none takes long. */
const LOOKED_AT_A_PAGE = 4_000;

/** An audience as a question. Refuses NOT_FOUND for a segment that does not exist. `now` is epoch ms. */
export async function queryOf(
  words: WordLists,
  tenantId: string,
  audience: Audience,
  vocabulary: Vocabulary,
  now: number,
): Promise<SegmentQuery> {
  const { segment_id, tag, group_id, q, callingCode = null } = audience;
  const segment = segment_id === undefined ? null : await words.segments.find(tenantId, segment_id);
  if (segment_id !== undefined && !segment) throw refusal('NOT_FOUND', { reason: 'segment_id' });
  const rules: Rules[] = [
    ...(segment ? [segment.rules] : []),
    ...(tag === undefined ? [] : [{ all: [{ field: 'tag', op: 'is' as const, value: tag }] }]),
    ...(group_id === undefined ? [] : [{ all: [{ field: 'group_id', op: 'is' as const, value: group_id }] }]),
    ...(q === undefined ? [] : [searched(q, callingCode)]),
  ];
  return together(rules.map((one) => compileSegment(one, vocabulary, now)));
}

function searched(q: string, callingCode: string | null): Rules {
  const phones = partsOfNumber(q, callingCode).map((value) => ({ field: 'phone', op: 'contains', value }) as const);
  return { any: [{ field: 'name', op: 'contains', value: q }, ...phones] };
}

function together(queries: readonly SegmentQuery[]): SegmentQuery {
  const tests = queries.flatMap(({ holds }) => holds ?? []);
  return {
    filter: queries.length === 0 ? {} : { $and: queries.map(({ filter }) => filter) },
    holds: tests.length === 0 ? null : (candidate) => tests.every((holds) => holds(candidate)),
    needsConsent: queries.some(({ needsConsent }) => needsConsent),
  };
}

/**
 * A batch of everybody the question finds, oldest first, after `afterId` ('': from the first). It may hold none though more follow. A long
 * walk asks again and again; who joins or leaves meanwhile may be in it or not, nobody is in it twice.
 */
export async function batchOf(ports: AudiencePorts, tenantId: string, query: SegmentQuery, afterId: string, limit: number): Promise<Batch> {
  const found = await ports.contacts.oldest(tenantId, query.filter, limit, afterId);
  return { rows: await held(ports, tenantId, query, found), next: found.length < limit ? null : found.at(-1)!._id };
}

/** How many there are: counted by index where the store can tell, else looked at in batches between which others work. */
export async function countOf(ports: AudiencePorts, tenantId: string, query: SegmentQuery): Promise<number> {
  if (query.holds === null) return ports.contacts.count(tenantId, query.filter);
  let count = 0;
  let slice: ContactRow[] = [];
  await looking.turn();
  for await (const row of ports.contacts.each(tenantId, query.filter, LOOKED_AT_TOGETHER)) {
    if (slice.push(row) < LOOKED_AT_TOGETHER) continue;
    count += (await held(ports, tenantId, query, slice)).length;
    slice = [];
    await looking.turn();
  }
  return count + (await held(ports, tenantId, query, slice)).length;
}

/** A page, newest first. Where the store cannot tell it may hold fewer than `limit`, or none, though more follow. */
export async function pageOf(
  ports: AudiencePorts,
  tenantId: string,
  query: SegmentQuery,
  { limit, before, beforeId }: { readonly limit: number; readonly before: number | null; readonly beforeId: string | null },
): Promise<ContactPage> {
  const rows: ContactRow[] = [];
  const step = query.holds === null ? limit + 1 : LOOKED_AT_TOGETHER;
  let at = beforeId ?? (before === null ? null : idFloor(before));
  for (let looked = 0; ; looked += step) {
    const found = await ports.contacts.newest(tenantId, query.filter, step, at);
    for (const row of await held(ports, tenantId, query, found)) {
      if (rows.length === limit) return { rows, next: rows.at(-1) ?? null };
      rows.push(row);
    }
    const last = found.at(-1);
    if (!last || found.length < step) return { rows, next: null };
    if (query.holds === null || looked + step >= LOOKED_AT_A_PAGE) return { rows, next: last };
    at = last._id;
    await looking.turn();
  }
}

/** Those of the found who belong to it. */
async function held(
  ports: AudiencePorts,
  tenantId: string,
  query: SegmentQuery,
  found: readonly ContactRow[],
): Promise<readonly ContactRow[]> {
  const { holds, needsConsent } = query;
  if (holds === null || found.length === 0) return found;
  const consents = needsConsent
    ? await ports.consentsOf(
        tenantId,
        found.map(({ phone }) => phone),
      )
    : null;
  return found.filter((row) => holds({ row, consent: consents?.get(row.phone) ?? null } satisfies Candidate));
}

/** Is there such a segment, tag or group? */
export async function audienceExists({ words }: CrmPorts, tenantId: string, { segment_id, tag, group_id }: Audience): Promise<boolean> {
  if (segment_id !== undefined) return (await words.segments.find(tenantId, segment_id)) !== null;
  if (group_id !== undefined) return (await words.groups.find(tenantId, group_id)) !== null;
  return tag !== undefined && (await vocabularyOf(words, tenantId)).tags.byKey(tagKey(tag)) !== undefined;
}
