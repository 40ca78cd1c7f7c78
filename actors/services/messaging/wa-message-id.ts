import type { MessageRow } from '../../../store/messaging/messages.ts';

export const waMessageIdOf = (row: Pick<MessageRow, 'direction' | 'status' | 'attempts' | 'net_id'>): string | null =>
  isHandedOver(row) ? row.net_id : null;

const isHandedOver = ({ direction, status, attempts }: Pick<MessageRow, 'direction' | 'status' | 'attempts'>): boolean =>
  direction === 'inbound' || (attempts > 0 && status !== 'queued' && status !== 'sending');
