export interface Owner {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly epoch: number;
}
