import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { ChatRow } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { ReceivedActions } from '../../../store/messaging/received-actions.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import { markChat } from './chat-marks.ts';
import { type AtChat, type ConversationDeps, chatOf, markRead } from './conversation-service.ts';

export interface ReadingDeps extends ConversationDeps {
  readonly receivedActions: Pick<ReceivedActions, 'received'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

/**
 * Receipts are sent for at most this many of the newest messages. More are not needed, because a
 * receipt for a newer message makes phones show older messages as read, too.
 */
const MAX_MESSAGES = 200;

/** With `insists`, fails if the phone does not mark the chat as read, too. */
export async function readChat(deps: ReadingDeps, at: AtChat, now: number, insists = false): Promise<ChatRow> {
  const before = await chatOf(deps, at);
  if (insists) await markChat(deps, at.device, before, { unread: false }, now);
  else if (before.marked_unread) await markChat(deps, at.device, before, { unread: false }, now).catch(() => before);
  const after = await markRead(deps, at);
  if (at.device.status === 'connected') await tellWriters(deps, at.device, after, before.read_up_to);
  return after;
}

async function tellWriters({ receivedActions, device }: ReadingDeps, row: DeviceRow, chat: ChatRow, from: string): Promise<void> {
  const { session_id, chat_id, read_up_to } = chat;
  const received = await receivedActions.received(session_id, chat_id, from, read_up_to, MAX_MESSAGES);
  if (received.length === 0) return;
  const messages = received.map(({ net_id: netId, sender, sender_lid }) => ({ netId, from: sender_lid ?? sender }));
  try {
    device(row).tell({ type: 'markRead', chat: chat_id, messages });
  } catch {
    // The device's mailbox is full. Receipts are optional, so they are dropped.
  }
}
