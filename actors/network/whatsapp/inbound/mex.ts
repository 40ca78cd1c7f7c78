import type { NewChatMessageCapInfo } from '@whiskeysockets/baileys';
import { channelFact, keepAll, postStats } from '../channels/channel-notices.ts';
import type { BinaryNode, Library } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';

export interface Data {
  readonly xwa2_notify_account_reachout_timelock?: {
    readonly is_active?: boolean;
    readonly time_enforcement_ends?: string;
    readonly enforcement_type?: string;
  };
  readonly xwa2_notify_new_chat_messages_capping_info_update?: NewChatMessageCapInfo;
}

/** Returns false if the library should handle the notice. */
type MexHandler = (data: Data, stored: () => void) => boolean;

/** Replaces the library's handler, which acknowledges notices before they can be stored. */
export function handleMex(context: ConnectionContext, handlers: Readonly<Record<string, MexHandler>>): void {
  const { ws, sendMessageAck } = context.socket;
  const others = ws.listeners('CB:notification');
  ws.removeAllListeners('CB:notification');
  ws.on('CB:notification', (node: BinaryNode) => {
    const { name, data } = read(context.library, node) ?? {};
    const acknowledge = (): void => attempt(context, 'an ack', () => sendMessageAck(node));
    if (name && data && Object.hasOwn(handlers, name) && handlers[name]?.(data, acknowledge)) return;
    const fact = data && channelFact(data, node);
    const events = fact ? [fact] : postStats(node);
    if (events.length > 0) return keepAll(context, events, acknowledge);
    attempt(context, 'a notice', () => Promise.all(others.map(async (receive) => receive(node))));
  });
}

function read(library: Library, node: BinaryNode): { name: string; data: Data | undefined } | null {
  if (node.attrs['type'] !== 'mex') return null;
  const update = library.getBinaryNodeChild(node, 'update');
  const name = update?.attrs['op_name'];
  if (!name || !(update.content instanceof Uint8Array)) return null;
  try {
    return { name, data: JSON.parse(Buffer.from(update.content).toString()).data };
  } catch {
    return null;
  }
}
