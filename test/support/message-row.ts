import { type SealedMessageSecrets, sealedMessageSecrets } from '../../actors/services/credentials/message-secrets.ts';
import { safeText } from '../../runtime/safe-text.ts';
import { secretKeysOf } from '../../runtime/sealing/keys.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import type { MessageRow } from '../../store/messaging/messages.ts';
import { newMessage } from '../../store/messaging/new-message.ts';

interface Over extends Partial<Omit<MessageRow, '_id' | 'created_at' | 'body'>>, Pick<MessageRow, '_id' | 'created_at'> {
  readonly body?: string | null;
}

/** Returns a stored message: by default an outgoing queued text whose network id equals its id. */
export const aMessageRow = ({ body, ...over }: Over): MessageRow =>
  newMessage({
    tenant_id: 't',
    session_id: 's',
    direction: 'outbound',
    chat_id: '6281211110001@s.whatsapp.net',
    message_type: 'text',
    body: body === null ? null : safeText(body ?? over._id),
    status: 'queued',
    net_id: over._id,
    ...over,
  });

/** Returns a sealer for message secrets with a test key. */
export const aSecretSealer = (): SealedMessageSecrets =>
  sealedMessageSecrets(createSealer(secretKeysOf('ab'.repeat(32), [], 'x'.repeat(32))));
