import type { Owner } from '../../../store/messaging/messages.ts';
import type { OfficialHealth } from '../../network/official/login.ts';
import type { Draft } from '../events/types.ts';

export interface OfficialUpdatesDeps {
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
  now(): number;
}

export interface OfficialUpdates {
  healthChanged(owner: Owner, health: Required<Pick<OfficialHealth, 'quality' | 'tier' | 'can_send'>>): Promise<void>;
}

export function createOfficialUpdates({ record, now }: OfficialUpdatesDeps): OfficialUpdates {
  return {
    async healthChanged({ tenantId, sessionId }, { quality, tier, can_send }) {
      const at = now();
      const data = { quality, tier, can_send };
      await record(tenantId, [
        { session_id: sessionId, type: 'session.health', row: `session ${sessionId} health@${at}`, occurred_at: at, data },
      ]);
    },
  };
}
