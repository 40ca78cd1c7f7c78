import { consentsSpec } from '../consent/consents.ts';
import { contactsSpec } from '../contacts/contacts.ts';
import { chatsSpec } from '../conversations/chats.ts';
import { readSliced } from '../paging/read-sliced.ts';
import type { Doc, Store } from '../port.ts';
import { identitiesSpec } from './identities.ts';

export interface KnownNumbers {
  among(tenantId: string, digits: readonly string[]): Promise<ReadonlySet<string>>;
}

interface Row extends Doc {
  readonly phone?: string;
  readonly chat_id?: string;
  readonly subject?: string;
}

export function knownNumbersIn(store: Store, addressOf: (digits: string) => string): KnownNumbers {
  const contacts = store.collection<Row>(contactsSpec);
  const chats = store.collection<Row>(chatsSpec);
  const consents = store.collection<Row>(consentsSpec);
  const identities = store.collection<Row>(identitiesSpec);

  type Question = (tenantId: string, digits: readonly string[]) => Promise<readonly string[]>;

  const ofContacts: Question = async (tenant_id, digits) => {
    const rows = await contacts.find({ tenant_id, phone: { $in: digits } }, { projection: { phone: 1 } }).toArray();
    return rows.flatMap(({ phone }) => phone ?? []);
  };

  const ofChats: Question = async (tenant_id, digits) => {
    const byAddress = new Map(digits.map((one) => [addressOf(one), one]));
    const rows = await chats.find({ tenant_id, chat_id: { $in: [...byAddress.keys()] } }, { projection: { chat_id: 1 } }).toArray();
    return rows.flatMap(({ chat_id = '' }) => byAddress.get(chat_id) ?? []);
  };

  const ofConsents: Question = async (tenantId, digits) => {
    const ids = digits.map((one) => `${tenantId}:${one}`);
    const rows = await consents.find({ _id: { $in: ids } }, { projection: { subject: 1 } }).toArray();
    return rows.flatMap(({ subject }) => subject ?? []);
  };

  const ofIdentities: Question = async (tenant_id, digits) => {
    const byId = new Map(digits.map((one) => [`${tenant_id}:${addressOf(one)}`, one]));
    const [named, dialled] = await Promise.all([
      identities.find({ tenant_id, phone: { $in: digits } }, { projection: { phone: 1 } }).toArray(),
      identities.find({ _id: { $in: [...byId.keys()] } }, { projection: { _id: 1 } }).toArray(),
    ]);
    return [...named.flatMap(({ phone }) => phone ?? []), ...dialled.flatMap(({ _id }) => byId.get(String(_id)) ?? [])];
  };

  return {
    async among(tenantId, digits) {
      const known = new Set<string>();
      for (const question of [ofContacts, ofChats, ofConsents, ofIdentities]) {
        const asked = digits.filter((one) => !known.has(one));
        if (asked.length === 0) break;
        for (const one of await readSliced(tenantId, asked, (some) => question(tenantId, some))) known.add(one);
      }
      return known;
    },
  };
}
