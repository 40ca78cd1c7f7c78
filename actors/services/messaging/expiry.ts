import type { Messages } from '../../../store/messaging/messages.ts';

export interface ExpiryDeps {
  readonly messages: Pick<Messages, 'expire'>;
  hintDevice(row: { readonly tenant_id: string; readonly _id: string }): void;
}

const BATCH_SIZE = 500;

export async function expireWaiting({ messages, hintDevice }: ExpiryDeps, now: number): Promise<void> {
  for (;;) {
    const expired = await messages.expire(now, BATCH_SIZE);
    const devices = new Map(expired.map(({ session_id: _id, tenant_id }) => [_id, { tenant_id, _id }]));
    for (const device of devices.values()) hintDevice(device);
    if (expired.length < BATCH_SIZE) return;
  }
}
