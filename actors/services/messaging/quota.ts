export interface Quota {
  /** Returns false beyond the limit. `issued` and `batch` are described in store/accounts/usage. */
  take(tenantId: string, month: string, count: number, limit: number | null, issued?: () => void, batch?: string): Promise<boolean>;
  used(tenantId: string, month: string): Promise<number>;
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}
