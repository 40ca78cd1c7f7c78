import { idFloor } from '../../../runtime/derived-ids.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ContactRow } from '../../../store/contacts/contacts.ts';
import type { LabelLists } from '../../../store/contacts/labels.ts';
import { byCreation, type Keep, type Page, type PageRead, readPage } from '../../../store/paging/page.ts';
import { partsOfNumber } from '../../domain/phone-numbers.ts';
import { refusal } from '../../domain/refusals.ts';
import type { ContactDeps } from './contacts.ts';
import type { LabelIndex } from './labels.ts';
import type { Candidate, Consent } from './segment-facets.ts';
import { compileSegment, type SegmentQuery } from './segment-query.ts';
import type { Rules } from './segment-rules.ts';
import { NO_TAG, rulesNow } from './tag-references.ts';
import { timeSlicer } from './time-slicer.ts';

/**
 * Selects contacts for lists, campaigns and bulk changes. The store applies the rules that its
 * indexes support. The remaining rules are checked in time slices on the contacts that it returns,
 * so that other tenants can run in between.
 */

export interface AudienceDeps extends ContactDeps {
  consentsOf(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, Consent>>;
}

export interface Audience {
  readonly segment_id?: string;
  readonly tag?: string;
  readonly tag_id?: string;
  readonly tag_ids?: readonly string[];
  readonly without_tag_ids?: readonly string[];
  readonly group_id?: string;
  /** A number (digits, with or without `+`) or a hidden address. */
  readonly phone?: string | undefined;
  readonly username?: string;
  /** Part of the name, number or username. */
  readonly q?: string;
  /** If a number in `q` starts with 0, the 0 is replaced by this calling code. */
  readonly callingCode?: string;
}

export interface Batch {
  readonly rows: readonly ContactRow[];
  readonly next: string | null;
}

const LOOKED_AT_TOGETHER = 200;

export async function queryOf(
  labels: LabelLists,
  tenantId: string,
  audience: Audience,
  labelIndex: LabelIndex,
  now: number,
): Promise<SegmentQuery> {
  const { segment_id, tag, tag_id, tag_ids, without_tag_ids = [], group_id, phone, username, q, callingCode = null } = audience;
  const keyOf = (id: string): string => labelIndex.tags.byId(id)?.key ?? NO_TAG;
  const segment = segment_id === undefined ? null : await labels.segments.find(tenantId, segment_id);
  if (segment_id !== undefined && !segment) throw refusal('NOT_FOUND', { reason: 'segment_id' });
  const rules: Rules[] = [
    ...(segment ? [rulesNow(segment, labelIndex)] : []),
    ...(tag === undefined ? [] : [{ all: [{ field: 'tag', op: 'is' as const, value: tag }] }]),
    ...(tag_id === undefined ? [] : [{ all: [{ field: 'tag', op: 'is' as const, value: keyOf(tag_id) }] }]),
    ...(tag_ids === undefined ? [] : [{ all: [{ field: 'tag', op: 'in' as const, value: tag_ids.map(keyOf) }] }]),
    ...without_tag_ids.map((id) => ({ all: [{ field: 'tag', op: 'is_not' as const, value: keyOf(id) }] })),
    ...(group_id === undefined ? [] : [{ all: [{ field: 'group_id', op: 'is' as const, value: group_id }] }]),
    ...(phone === undefined ? [] : [{ all: [{ field: 'phone', op: 'is' as const, value: phone }] }]),
    ...(username === undefined ? [] : [{ all: [{ field: 'username', op: 'is' as const, value: username }] }]),
    ...(q === undefined ? [] : [searched(q, callingCode)]),
  ];
  return together(rules.map((one) => compileSegment(one, labelIndex, now)));
}

function searched(q: string, callingCode: string | null): Rules {
  const phones = partsOfNumber(q, callingCode).map((value) => ({ field: 'phone', op: 'contains', value }) as const);
  const name = q.replace(/^@/, '');
  const named = (['name', 'username'] as const).map((field) => ({ field, op: 'contains', value: field === 'name' ? q : name }) as const);
  return { any: [...named.filter(({ value }) => value !== ''), ...phones] };
}

function together(queries: readonly SegmentQuery[]): SegmentQuery {
  const tests = queries.flatMap(({ holds }) => holds ?? []);
  return {
    filter: queries.length === 0 ? {} : { $and: queries.map(({ filter }) => filter) },
    holds: tests.length === 0 ? null : (candidate) => tests.every((holds) => holds(candidate)),
    needsConsent: queries.some(({ needsConsent }) => needsConsent),
  };
}

/** Reads a batch of contacts. Even if a batch is empty, more batches may follow. */
export async function batchOf(deps: AudienceDeps, tenantId: string, query: SegmentQuery, afterId: string, limit: number): Promise<Batch> {
  const found = await deps.contacts.oldest(tenantId, query.filter, limit, afterId);
  return { rows: await held(deps, tenantId, query, found), next: found.length < limit ? null : at(found, -1)._id };
}

export async function countOf(deps: AudienceDeps, tenantId: string, query: SegmentQuery): Promise<number> {
  if (query.holds === null) return deps.contacts.count(tenantId, query.filter);
  let count = 0;
  let slice: ContactRow[] = [];
  await timeSlicer.turn(tenantId);
  for await (const row of deps.contacts.each(tenantId, query.filter, LOOKED_AT_TOGETHER)) {
    if (slice.push(row) < LOOKED_AT_TOGETHER) continue;
    count += (await held(deps, tenantId, query, slice)).length;
    slice = [];
    await timeSlicer.turn(tenantId);
  }
  return count + (await held(deps, tenantId, query, slice)).length;
}

/** Every page except the last is full. `visible` decides which contacts the reader may see. */
export function pageOf<E>(
  deps: AudienceDeps,
  tenantId: string,
  query: SegmentQuery,
  { page, visible = null }: { readonly page: Page; readonly visible?: Keep<ContactRow> | null },
  show: (rows: readonly ContactRow[]) => readonly E[] | Promise<readonly E[]>,
): Promise<PageRead<E>> {
  const keep: Keep<ContactRow> = async (found) => {
    const belonging = await held(deps, tenantId, query, found);
    return visible ? visible(belonging) : belonging;
  };
  return readPage<ContactRow, E>({
    owner: tenantId,
    page,
    list: ({ limit, before, beforeId }) =>
      deps.contacts.newest(tenantId, query.filter, limit, beforeId ?? (before === null ? null : idFloor(before))),
    placeOf: byCreation,
    keep: query.holds === null && visible === null ? null : keep,
    show,
    together: LOOKED_AT_TOGETHER,
    most: Number.POSITIVE_INFINITY,
  });
}

async function held(
  deps: AudienceDeps,
  tenantId: string,
  query: SegmentQuery,
  found: readonly ContactRow[],
): Promise<readonly ContactRow[]> {
  const { holds, needsConsent } = query;
  if (holds === null || found.length === 0) return found;
  const consents = needsConsent
    ? await deps.consentsOf(
        tenantId,
        found.map(({ phone }) => phone),
      )
    : null;
  return found.filter((row) => holds({ row, consent: consents?.get(row.phone) ?? null } satisfies Candidate));
}
