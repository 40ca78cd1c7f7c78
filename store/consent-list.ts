import type { ConsentFilter, ConsentPage, ConsentRow, Consents } from './consents.ts';

export interface ConsentQuestion {
  readonly filter: ConsentFilter;
  /** The number has one of these parts, digits only. */
  readonly parts: readonly string[] | undefined;
  readonly page: ConsentPage;
}

export interface ConsentList {
  readonly rows: readonly ConsentRow[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: ConsentRow | null;
}

const LOOKED_AT_TOGETHER = 200;
/** No index finds a part of a number: a search looks at so many records a page, so that none takes long. */
const LOOKED_AT_A_PAGE = 4_000;

/** A page of consents, newest change first. A search may give less than a page, or nothing, though more follow. */
export async function consentPage(consents: Consents, tenantId: string, { filter, parts, page }: ConsentQuestion): Promise<ConsentList> {
  if (parts !== undefined) return search(consents, tenantId, { filter, parts, page });
  // One more than asked for tells whether this is the last page.
  const found = await consents.list(tenantId, filter, { ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  return { rows, next: found.length > page.limit ? (rows.at(-1) ?? null) : null };
}

async function search(consents: Consents, tenantId: string, { filter, parts = [], page }: ConsentQuestion): Promise<ConsentList> {
  const rows: ConsentRow[] = [];
  let at: ConsentPage = { ...page, limit: LOOKED_AT_TOGETHER };
  for (let looked = 0; ; looked += LOOKED_AT_TOGETHER) {
    const found = await consents.list(tenantId, filter, at);
    for (const row of found) {
      if (parts.some((part) => row.who.includes(part))) rows.push(row);
      if (rows.length === page.limit) return { rows, next: row };
    }
    const last = found.at(-1);
    if (!last || found.length < LOOKED_AT_TOGETHER) return { rows, next: null };
    if (looked + LOOKED_AT_TOGETHER >= LOOKED_AT_A_PAGE) return { rows, next: last };
    at = { ...at, before: last.updated_at, beforeId: last.who };
  }
}

/** All records of a tenant, in the order of their numbers; read in pieces. */
export async function* everyConsent(consents: Consents, tenantId: string): AsyncGenerator<ConsentRow> {
  for (let after = ''; ; ) {
    const rows = await consents.inOrder(tenantId, after, READ_AT_ONCE);
    yield* rows;
    if (rows.length < READ_AT_ONCE) return;
    after = rows.at(-1)!.who;
  }
}

const READ_AT_ONCE = 1_000;
