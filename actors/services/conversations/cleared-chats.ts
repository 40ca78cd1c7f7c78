import type { Chats } from '../../../store/conversations/chats.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { ChatCleared } from '../../network/phone-changes.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { keepMarks } from './chat-marks.ts';

/**
 * Handles a chat that the owner cleared on the phone. Its messages are kept as business records,
 * but are marked as read. Chats without any messages here are skipped. Idempotent.
 */

export interface ClearedDeps {
  readonly chats: Chats;
  readonly messages: Pick<Messages, 'unread' | 'find'>;
  readonly people: Pick<IdentityResolver, 'place'>;
}

export function keepCleared(deps: ClearedDeps) {
  return async ({ tenantId, sessionId }: Owner, { chat: from, chatAlt, until, at }: ChatCleared): Promise<void> => {
    const place = await deps.people.place(tenantId, { chat: from, from, ...(chatAlt && { chatAlt, fromAlt: chatAlt }) });
    const chat = await deps.chats.change(tenantId, sessionId, place.chat, ({ cleared_until = 0 }) =>
      until > cleared_until ? { cleared_until: until } : null,
    );
    if (chat) await keepMarks(deps, chat, [{ name: 'unread', value: false, at: Math.min(until, at) }], false);
  };
}
