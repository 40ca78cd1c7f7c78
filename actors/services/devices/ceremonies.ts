import { createHmac, hash } from 'node:crypto';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Ceremonies } from '../../../store/devices/ceremonies.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { Deletions } from '../../../store/privacy/deletions.ts';

/**
 * Issues tokens for linking with a passkey. This takes place on the network's own site, where a
 * page has no gateway credentials. With a token, the page can read the options for one device,
 * submit the response and confirm the code. Every node derives the same token from the ceremony.
 * The store contains only the token's hash.
 */

export interface CeremonyService {
  open(device: DeviceRow, now: number): Promise<CeremonyToken | null>;
  find(token: string, now: number): Promise<CeremonyState | null>;
}

export interface CeremonyToken {
  readonly token: string;
  readonly expires_at: number;
}

/** `awaiting`: the network has accepted the passkey. `confirm`: the user must compare a code. */
export type CeremonyStage = 'challenge' | 'awaiting' | 'confirm' | 'done' | 'failed';

export interface CeremonyState {
  readonly stage: CeremonyStage;
  readonly publicKey: string | null;
  readonly code: string | null;
  readonly business: string;
  readonly device: DeviceRow;
  readonly expiresAt: number;
}

export interface CeremonyDeps {
  /** HMAC key. Signed texts contain a purpose, so that other features can use the same key. */
  readonly secret: string;
  readonly ceremonies: Ceremonies;
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly deletions: Pick<Deletions, 'find'>;
}

export function createCeremonies({ secret, ceremonies, devices, tenants, deletions }: CeremonyDeps): CeremonyService {
  return {
    async open({ _id: session_id, tenant_id, pairing }, now) {
      if (!pairing || !('ceremony' in pairing) || pairing.expires_at <= now) return null;
      const { id, expires_at } = pairing.ceremony;
      const token = createHmac('sha256', secret).update(`passkey ceremony ${session_id} ${id}`).digest('base64url');
      await ceremonies.keep({ _id: ceremonyHash(token), tenant_id, session_id, ceremony: id, expires_at });
      return { token, expires_at };
    },

    async find(token, now) {
      const known = await ceremonies.find(ceremonyHash(token), now);
      if (!known) return null;
      const [device, tenant, deletion] = await Promise.all([
        devices.find(known.tenant_id, known.session_id),
        tenants.find(known.tenant_id),
        deletions.find(known.tenant_id),
      ]);
      if (!device || !tenant || tenant.suspended || deletion?.open) return null;
      return { ...stageOf(device, known.ceremony, now), business: tenant.name, device, expiresAt: known.expires_at };
    },
  };
}

export const ceremonyHash = (token: string): string => hash('sha256', token);

function stageOf(
  { pairing, linked_ceremony }: DeviceRow,
  ceremony: string,
  now: number,
): Pick<CeremonyState, 'stage' | 'publicKey' | 'code'> {
  const over = { stage: linked_ceremony === ceremony ? 'done' : 'failed', publicKey: null, code: null } as const;
  if (!pairing || !('ceremony' in pairing) || pairing.ceremony.id !== ceremony || pairing.expires_at <= now) return over;
  if (pairing.step === 'passkey_confirm') return { stage: 'confirm', publicKey: null, code: pairing.code };
  const { public_key } = pairing;
  return { stage: public_key === null ? 'awaiting' : 'challenge', publicKey: public_key, code: null };
}
