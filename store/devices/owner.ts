/** What a device owner presents with each write: which device, and since which change of owner. */
export interface Owner {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly epoch: number;
}
