export interface Quota {
  /** Returns false at the limit. For `issued` and `batch`, see store/accounts/usage. */
  take(tenantId: string, month: string, count: number, limit: number | null, issued?: () => void, batch?: string): Promise<boolean>;
  used(tenantId: string, month: string): Promise<number>;
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}
