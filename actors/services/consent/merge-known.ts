import type { Consents } from '../../../store/consent/consents.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { addressOf } from '../../network/subject.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { ConsentService } from './consent-service.ts';

export interface MergeKnownDeps {
  readonly consentService: Pick<ConsentService, 'merge'>;
  readonly people: Pick<IdentityResolver, 'find'>;
}

/** Merges a new record whose person's addresses were merged before it was stored. */
export async function mergeKnown({ consentService, people }: MergeKnownDeps, tenantId: string, subject: string): Promise<string> {
  const known = await people.find(tenantId, addressOf(subject));
  if (known === null || known.isApart || known.phone === subject) return subject;
  await consentService.merge(tenantId, subject, known.phone, known.at);
  return known.phone;
}

export interface MergeAllKnownDeps extends MergeKnownDeps {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly people: Pick<IdentityResolver, 'find' | 'phonesOf'>;
}

export async function mergeAllKnown(deps: MergeAllKnownDeps, tenantId: string, subjects: readonly string[]): Promise<readonly string[]> {
  const { consents, people } = deps;
  const phones = await people.phonesOf(tenantId, [...new Set(subjects.map(addressOf))]);
  const others = subjects.filter((subject) => phones.has(addressOf(subject)));
  const recorded = new Map(await readSliced(tenantId, [...new Set(others)], (some) => consents.statusOf(tenantId, some)));
  for (const subject of recorded.keys()) await mergeKnown(deps, tenantId, subject);
  return subjects.map((subject) => phones.get(addressOf(subject)) ?? subject);
}
