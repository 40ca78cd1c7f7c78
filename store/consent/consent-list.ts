import { fairSlices } from '../../runtime/fair-slices.ts';
import { at } from '../../runtime/invariant.ts';
import { type PageRead, readPage } from '../paging/page.ts';
import type { ConsentRow } from './consent-row.ts';
import type { ConsentFilter, ConsentPage, Consents } from './consents.ts';

export interface ConsentQuestion {
  readonly filter: ConsentFilter;
  /** The number has one of these parts, digits only. */
  readonly parts: readonly string[] | undefined;
  readonly page: ConsentPage;
}

/** A page of consents, newest change first. A search, which no index helps, may give less than a page, or nothing, though more follow. */
export function consentPage(consents: Consents, tenantId: string, { filter, parts, page }: ConsentQuestion): Promise<PageRead<ConsentRow>> {
  return readPage<ConsentRow>({
    owner: tenantId,
    limit: page.limit,
    fetch: (after, limit) =>
      consents.list(tenantId, filter, after ? { limit, before: after.updated_at, beforeId: after.subject } : { ...page, limit }),
    keep: parts === undefined ? null : (rows) => rows.filter(({ subject }) => parts.some((part) => subject.includes(part))),
  });
}

/** All records of a tenant, in the order of their numbers; read in pieces. */
export async function* everyConsent(consents: Consents, tenantId: string): AsyncGenerator<ConsentRow> {
  for (let after = ''; ; ) {
    const from = after;
    const rows = await fairSlices.run(tenantId, () => consents.inOrder(tenantId, from, READ_BATCH_SIZE));
    yield* rows;
    if (rows.length < READ_BATCH_SIZE) return;
    after = at(rows, -1).subject;
  }
}

const READ_BATCH_SIZE = 1_000;
