/** With so many tenants failing, something fails that is not theirs: the rest waits until some of them succeed. */
const MAX_FAILED = 100;

/**
 * Works on what `read` gives, each tenant's part by itself, until that is fewer than `limit`. What fails keeps the rest of its own tenant
 * waiting, and no other's; rejects with the first failure in the end. `work` leaves nothing of what it worked on to be read again.
 */
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
