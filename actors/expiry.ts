import type { Messages } from '../store/messages.ts';

export interface ExpiryPorts {
  readonly messages: Pick<Messages, 'expire'>;
  /** This device has something to tell of its messages. */
  hintDevice(row: { readonly tenant_id: string; readonly _id: string }): void;
}

const AT_ONCE = 500;

/**
 * Messages whose time (api.md `expires_at`) is over fail where they wait, though their device is offline or was never linked; for a sweep on
 * any node. One whose device takes it first is that device's: it looks at the time itself.
 */
export async function expireWaiting({ messages, hintDevice }: ExpiryPorts, now: number): Promise<void> {
  for (;;) {
    const expired = await messages.expire(now, AT_ONCE);
    const devices = new Map(expired.map(({ session_id: _id, tenant_id }) => [_id, { tenant_id, _id }]));
    for (const device of devices.values()) hintDevice(device);
    if (expired.length < AT_ONCE) return;
  }
}
