import type { Collection, Doc, Filter } from '../port.ts';

const PAGE_SIZE = 200;

/** Requires an index that starts with `owner`. */
export async function oneOfEach<K extends string, T extends Doc & Readonly<Record<K | 'tenant_id', string>>>(
  rows: Collection<T>,
  where: Filter,
  owner: K,
): Promise<readonly Pick<T, K | 'tenant_id'>[]> {
  const found = new Map<string, T>();
  const options = { projection: { tenant_id: 1, [owner]: 1 }, sort: { [owner]: 1 }, limit: PAGE_SIZE } as const;
  // Each page starts after the last owner, so that an owner with many rows fills only one page.
  for (let last = ''; ; ) {
    const page: readonly T[] = await rows.find({ ...where, [owner]: { $gt: last } }, options).toArray();
    for (const row of page) found.set(row[owner], row);
    last = page.at(-1)?.[owner] ?? last;
    if (page.length < PAGE_SIZE) return [...found.values()];
  }
}
