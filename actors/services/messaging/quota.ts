/**
 * The monthly message quota (store/accounts/usage). `month` is `YYYY-MM` in the time zone of the
 * plan; see monthOf in sending.ts.
 */
export interface Quota {
  /**
   * Returns false when this would exceed `limit`; null means unlimited. `issued`, `batch`: see
   * store/accounts/usage.
   */
  take(tenantId: string, month: string, count: number, limit: number | null, issued?: () => void, batch?: string): Promise<boolean>;
  /** Number of messages used in the month. */
  used(tenantId: string, month: string): Promise<number>;
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}
