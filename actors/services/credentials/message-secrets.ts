import { isSealed, type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import { secretOf } from '../../../store/messaging/message-secrets.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';

/** The secrets of messages, sealed for their row: another row's in its place, or one that was never sealed, is none. */
export interface SealedMessageSecrets {
  /** `secret`: in base64. */
  seal(row: Pick<MessageRow, '_id' | 'tenant_id'>, secret: string): string;
  /** In base64; null: it cannot be opened. */
  open(row: Pick<MessageRow, '_id' | 'tenant_id' | 'secret'>): string | null;
}

export const sealedMessageSecrets = (sealer: Sealer): SealedMessageSecrets => ({
  seal: ({ _id, tenant_id }, secret) => sealer.seal(tenant_id, secretOf(_id), secret),
  open({ _id, tenant_id, secret }) {
    if (!secret || !isSealed(secret)) return null;
    try {
      return sealer.open(tenant_id, secretOf(_id), secret);
    } catch (cause) {
      if (cause instanceof SecretUnreadable) return null;
      throw cause;
    }
  },
});
