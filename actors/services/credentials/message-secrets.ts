import { isSealed, type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import { secretOf } from '../../../store/messaging/message-secrets.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';

/** Secrets in base64. A secret that is not sealed, or sealed for another row, is rejected. */
export interface SealedMessageSecrets {
  seal(row: Pick<MessageRow, '_id' | 'tenant_id'>, secret: string): string;
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
