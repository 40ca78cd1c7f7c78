import { isLid, phoneOf } from '../../network/jid.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { ConsentService } from './consent-service.ts';

export interface MergeKnownDeps {
  readonly consentService: Pick<ConsentService, 'merge'>;
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

/** After a change under `subject`: whose number became known meanwhile had no record yet when their two addresses were made one. */
export async function mergeKnown({ consentService, people }: MergeKnownDeps, tenantId: string, subject: string): Promise<void> {
  if (!isLid(subject)) return;
  const phone = phoneOf(await people.resolve(tenantId, subject));
  if (phone !== null) await consentService.merge(tenantId, subject, phone);
}
