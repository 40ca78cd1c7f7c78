import type { Safe } from '../../../runtime/safe-text.ts';
import type { SavedNames } from '../../../store/conversations/saved-names.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import type { ContactSaved } from '../../network/phone-changes.ts';
import type { IdentityResolver } from '../identities/identities.ts';

export function keepSavedName({ names, people }: { readonly names: SavedNames; readonly people: Pick<IdentityResolver, 'place'> }) {
  return async ({ tenantId, sessionId }: Owner, { chat: from, chatAlt, name, at }: Safe<ContactSaved>): Promise<void> => {
    const place = await people.place(tenantId, { chat: from, from, ...(chatAlt && { chatAlt, fromAlt: chatAlt }) });
    await names.put({ tenant_id: tenantId, session_id: sessionId, chat_id: place.chat, at }, name);
  };
}
