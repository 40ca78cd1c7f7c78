import type { Readable } from 'node:stream';

/** The files that messages carry. */
export interface DeviceFiles {
  /** Rejects with Refusal NOT_FOUND when there is no such file any more. */
  open(tenantId: string, key: string): Promise<Readable>;
}
