/** The monthly message quota (store/accounts/usage). `month` is `YYYY-MM` in UTC. */
export interface Quota {
  /** False when that would pass `limit`; null: no limit. `issued`, `batch`: see store/accounts/usage. */
  take(tenantId: string, month: string, count: number, limit: number | null, issued?: () => void, batch?: string): Promise<boolean>;
  /** How much of it is taken. */
  used(tenantId: string, month: string): Promise<number>;
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}
