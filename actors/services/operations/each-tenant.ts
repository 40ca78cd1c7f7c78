/** After this many failures, the data is probably not the cause. Remaining rows wait for the next run. */
const MAX_FAILED = 100;

/** Skips only the tenant that fails. `work` must ensure that rows it has handled are not read again. */
export async function forEachTenant<Row extends { readonly tenant_id: string }>(
  limit: number,
  read: (limit: number, withoutTenants: readonly string[]) => Promise<readonly Row[]>,
  work: (own: readonly Row[]) => Promise<void>,
): Promise<void> {
  const failures = new Map<string, unknown>();
  let isMore = true;
  while (isMore && failures.size < MAX_FAILED) {
    const rows = await read(limit, [...failures.keys()]);
    for (const [tenantId, own] of Map.groupBy(rows, ({ tenant_id }) => tenant_id))
      await work(own).catch((cause) => failures.set(tenantId, cause));
    isMore = rows.length === limit;
  }
  for (const cause of failures.values()) throw cause;
}
