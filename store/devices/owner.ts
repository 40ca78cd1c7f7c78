/** Identifies a device owner in each write: the device, and the epoch at which it took ownership. */
export interface Owner {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly epoch: number;
}
