/** Identifies a device owner in each write: the device, and the epoch of its last change of owner. */
export interface Owner {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly epoch: number;
}
