import type { Devices } from '../../../store/devices/devices.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import type { Traced } from '../../../store/privacy/traces.ts';
import type { StoreLinks } from '../../../store/store-links/links.ts';
import { writtenForms } from '../../domain/phone-numbers.ts';
import { isLid, userJid } from '../../network/jid.ts';
import { allForms, type FormsOf } from '../identities/forms.ts';

export type Collections = Pick<ReadonlyMap<string, Collection<Doc>>, 'get'>;

export interface PersonDeps {
  readonly formsOf: FormsOf;
  readonly devices: Pick<Devices, 'everIds' | 'removedIds'>;
  readonly links: Pick<StoreLinks, 'list'>;
  readonly collections: Collections;
}

export interface Person extends Traced {
  readonly addresses: readonly string[];
  readonly lids: readonly string[];
}

export type FindPerson = (tenantId: string, phone: string, until: number) => Promise<Person>;

export function opened(collections: Collections, name: string): Collection<Doc> {
  const found = collections.get(name);
  if (!found) throw new Error(`there is no collection ${name}`);
  return found;
}

export function personFinder({ formsOf, devices, links: storeLinks, collections }: PersonDeps): FindPerson {
  const idsIn = async (name: string, tenant_id: string): Promise<readonly string[]> => {
    const rows = await opened(collections, name)
      .find({ tenant_id }, { projection: { _id: 1 } })
      .toArray();
    return rows.map((row) => row._id);
  };

  return async (tenantId, asked, until) => {
    const [forms, sessions, removed, rotators, campaigns, links] = await Promise.all([
      formsOf(tenantId, [asked]),
      devices.everIds(tenantId),
      devices.removedIds(tenantId),
      idsIn('rotators', tenantId),
      idsIn('campaigns', tenantId),
      storeLinks.list(tenantId),
    ]);
    const phone = forms.get(asked)?.phone ?? asked;
    const subjects = allForms(forms, asked);
    const numbers = subjects.filter((one) => !isLid(one));
    const lids = subjects.filter(isLid);
    const books = await opened(collections, 'auto_replies')
      .find({ _id: { $in: sessions } })
      .toArray();
    const rules = books.flatMap((book) => ('rules' in book && Array.isArray(book.rules) ? book.rules.map(({ id }) => String(id)) : []));
    return {
      tenantId,
      phone,
      numbers,
      subjects,
      lids,
      needles: new Set([...numbers.flatMap(writtenForms), ...lids.map((lid) => lid.split('@', 1)[0] ?? lid)]),
      addresses: [...numbers.map(userJid), ...lids],
      devices: sessions,
      removed,
      rotators,
      campaigns,
      links: links.map((link) => link._id),
      counted: [...sessions, ...rules],
      until,
    };
  };
}
