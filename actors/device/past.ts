import { derivedId } from '../../runtime/ids.ts';
import type { MessageRow, Messages, Owner } from '../../store/messages.ts';
import type { PastMessage } from '../network/port.ts';
import type { People } from '../people/people.ts';
import { asOurs, inboundRow, leftThere } from './inbound-row.ts';

export interface PastPorts {
  readonly messages: Pick<Messages, 'receive'>;
  readonly people: People;
  /** Shows the chats of these messages, which are read. Idempotent. */
  rememberChats(rows: readonly MessageRow[]): Promise<void>;
}

/**
 * Stores what was said before the device was linked, at the time at which it was said. Nothing follows from it but that its chats are there:
 * no event, no answer, nothing unread. Files are left on the network until somebody asks for them. Done again it changes nothing.
 */
export async function storePast(ports: PastPorts, owner: Owner, messages: readonly PastMessage[]): Promise<void> {
  const rows = await Promise.all(messages.map((message) => pastRow(ports, owner, message)));
  await Promise.all(rows.map((row) => ports.messages.receive(row)));
  await ports.rememberChats(rows);
}

async function pastRow({ people }: PastPorts, owner: Owner, message: PastMessage): Promise<MessageRow> {
  const { netId, at, isOurs } = message;
  const _id = derivedId(`${owner.sessionId} ${netId}`, at);
  const row = inboundRow(owner, message, await people.place(owner.tenantId, message), at);
  const left = 'file' in message.content ? leftThere(message.file ?? null) : {};
  return { _id, ...row, ...(isOurs && asOurs(message)), ...left, owes: false, history: true };
}
