import type { ActorRef } from '../../runtime/actor.ts';
import type { ChatRow } from '../../store/chats.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { MessageActs } from '../../store/message-acts.ts';
import type { DeviceCommand } from '../device/protocol.ts';
import { type AtChat, chatOf, type DeskPorts, markRead } from './desk.ts';

export interface ReadingPorts extends DeskPorts {
  readonly acts: Pick<MessageActs, 'heard'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

/** A phone that gets read receipts of more is not told of the older ones: it shows them read as well. */
const MOST_TOLD = 200;

/** Everything in the chat is read, and those who wrote it are told, as long as the device is connected. Refuses NOT_FOUND. */
export async function readChat(ports: ReadingPorts, at: AtChat): Promise<ChatRow> {
  const before = await chatOf(ports, at);
  const after = await markRead(ports, at);
  if (at.device.status === 'connected') await tellWriters(ports, at.device, after, before.read_up_to);
  return after;
}

async function tellWriters({ acts, device }: ReadingPorts, row: DeviceRow, chat: ChatRow, from: string): Promise<void> {
  const { session_id, chat_id, read_up_to } = chat;
  const heard = await acts.heard(session_id, chat_id, from, read_up_to, MOST_TOLD);
  if (heard.length === 0) return;
  const messages = heard.map(({ net_id: netId, sender, sender_lid }) => ({ netId, from: sender_lid ?? sender }));
  try {
    device(row).tell({ type: 'markRead', chat: chat_id, messages });
  } catch {
    // A full mailbox: nothing depends on it.
  }
}
