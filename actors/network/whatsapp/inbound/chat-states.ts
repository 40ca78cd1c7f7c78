import type { Presence } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Reports typing indicators, for which the network expects no ack. */
export function handleChatStates(context: ConnectionContext): void {
  const { library, socket, creds, tell } = context;
  socket.ws.on('CB:chatstate', ({ attrs, content }: BinaryNode) => {
    const chat = library.jidNormalizedUser(attrs['from'] ?? '');
    const from = library.jidNormalizedUser(attrs['participant'] ?? attrs['from'] ?? '');
    const state = Array.isArray(content) ? stateOf(content[0]) : null;
    if (!chat || !from || state === null || library.areJidsSameUser(from, creds.me.id) || library.areJidsSameUser(from, creds.me.lid))
      return;
    tell({ type: 'chatPresence', chat, from, state });
  });
}

function stateOf(inside: BinaryNode | undefined): Presence | null {
  if (inside?.tag === 'paused') return 'paused';
  if (inside?.tag !== 'composing') return null;
  return inside.attrs['media'] === 'audio' ? 'recording' : 'composing';
}
