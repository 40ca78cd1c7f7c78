import type { Senders } from '../../../actors/services/messaging/sent-by.ts';
import { type WaitingDeps, whyMessagesWait } from '../../../actors/services/messaging/waiting.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Lang } from '../../core/row.ts';
import type { Aside } from './aside-schemas.ts';

export interface AsideServices extends Omit<WaitingDeps, 'messages'> {
  readonly messages: WaitingDeps['messages'];
  readonly senders: Senders;
}

export interface Reader {
  readonly lang: Lang;
  readonly now: number;
}

export async function asides(
  services: AsideServices,
  device: DeviceRow,
  rows: readonly MessageRow[],
  { lang, now }: Reader,
): Promise<(row: MessageRow) => Aside> {
  const mayWait = rows.some(({ status }) => status === 'queued' || (status === 'sending' && device.official));
  const [sentBy, waiting] = await Promise.all([
    services.senders(device.tenant_id, rows),
    mayWait ? whyMessagesWait(services, device, now) : () => null,
  ]);
  return (row) => ({ sentBy: sentBy(row), waiting: waiting(row), lang });
}
