import type { Messages } from '../../../store/messaging/messages.ts';

export interface ExpiryDeps {
  readonly messages: Pick<Messages, 'expire'>;
  /** This device has something to tell of its messages. */
  hintDevice(row: { readonly tenant_id: string; readonly _id: string }): void;
}

const BATCH_SIZE = 500;

/**
 * Messages whose time is over fail where they wait, though their device is offline or was never linked; for a sweep on
 * any node. One whose device takes it first is that device's: it looks at the time itself.
 */
export async function expireWaiting({ messages, hintDevice }: ExpiryDeps, now: number): Promise<void> {
  for (;;) {
    const expired = await messages.expire(now, BATCH_SIZE);
    const devices = new Map(expired.map(({ session_id: _id, tenant_id }) => [_id, { tenant_id, _id }]));
    for (const device of devices.values()) hintDevice(device);
    if (expired.length < BATCH_SIZE) return;
  }
}
