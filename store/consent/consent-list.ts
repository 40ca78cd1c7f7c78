import { fairSlices } from '../../runtime/fair-slices.ts';
import { at } from '../../runtime/invariant.ts';
import { type PageRead, type Reading, readPage } from '../paging/page.ts';
import type { ConsentRow } from './consent-row.ts';
import type { ConsentFilter, ConsentPage, Consents } from './consents.ts';

export interface ConsentQuestion<E> {
  readonly filter: ConsentFilter;
  readonly parts: readonly string[] | undefined;
  readonly page: ConsentPage;
  readonly show: Reading<ConsentRow, E>['show'];
}

export function consentPage<E>(
  consents: Consents,
  tenantId: string,
  { filter, parts, page, show }: ConsentQuestion<E>,
): Promise<PageRead<E>> {
  return readPage<ConsentRow, E>({
    owner: tenantId,
    page,
    list: (from) => consents.list(tenantId, filter, from),
    placeOf: ({ updated_at, subject }) => ({ at: updated_at, id: subject }),
    keep: parts === undefined ? null : (rows) => rows.filter(({ subject }) => parts.some((part) => subject.includes(part))),
    show,
  });
}

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
