import type { Consents } from '../../../store/consent/consents.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { isLid, phoneOf } from '../../network/jid.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { ConsentService } from './consent-service.ts';

export interface MergeKnownDeps {
  readonly consentService: Pick<ConsentService, 'merge'>;
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

/**
 * Moves a record under a hidden address whose number is known; gives who `subject` is then. After a change under `subject`: whose number
 * became known meanwhile had no record yet when their two addresses were made one.
 */
export async function mergeKnown({ consentService, people }: MergeKnownDeps, tenantId: string, subject: string): Promise<string> {
  if (!isLid(subject)) return subject;
  const phone = phoneOf(await people.resolve(tenantId, subject));
  if (phone === null) return subject;
  await consentService.merge(tenantId, subject, phone);
  return phone;
}

export interface MergeAllKnownDeps {
  readonly consentService: Pick<ConsentService, 'merge'>;
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly people: Pick<IdentityResolver, 'phonesOf'>;
}

/** As `mergeKnown`, of many; gives who they are then, in their order. */
export async function mergeAllKnown(deps: MergeAllKnownDeps, tenantId: string, subjects: readonly string[]): Promise<readonly string[]> {
  const { consentService, consents, people } = deps;
  const phones = await people.phonesOf(tenantId, [...new Set(subjects.filter(isLid))]);
  const recorded = new Map(await readSliced(tenantId, [...phones.keys()], (some) => consents.statusOf(tenantId, some)));
  for (const [lid, phone] of phones) if (recorded.has(lid)) await consentService.merge(tenantId, lid, phone);
  return subjects.map((subject) => phones.get(subject) ?? subject);
}
