import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/** A person whose number is not visible: their business-scoped ids and the address we use for them. */
export interface OfficialPersonRow extends Doc {
  readonly tenant_id: string;
  /** `<20 digits>@lid`, in a range that the network does not use. */
  readonly alias: string;
  readonly user_id: string;
  readonly is_former?: true;
}

export interface OfficialPeople {
  aliasOf(tenantId: string, userId: string, made: string): Promise<string>;
  find(tenantId: string, alias: string): Promise<string | null>;
  /** Keeps the alias of an id that already has one. Safe to call again. */
  moved(tenantId: string, alias: string, ids: { readonly before: string; readonly now: string }): Promise<void>;
  known(tenantId: string, userId: string): Promise<string | null>;
}

const officialPeopleSpec: CollectionSpec = {
  name: 'official_people',
  indexes: [{ name: 'by_alias', keys: { tenant_id: 1, alias: 1 } }],
};

export function officialPeopleIn(store: Store): OfficialPeople {
  const people: Collection<OfficialPersonRow> = store.collection<OfficialPersonRow>(officialPeopleSpec);
  const idOf = (tenantId: string, userId: string): string => `${tenantId}:${userId}`;

  return {
    async aliasOf(tenant_id, user_id, alias) {
      const _id = idOf(tenant_id, user_id);
      await people.updateOne({ _id }, { $setOnInsert: { tenant_id, user_id, alias } }, { upsert: true });
      return (await people.findOne({ _id }))?.alias ?? alias;
    },
    async moved(tenantId, alias, { before, now }) {
      if (before === now || (await this.aliasOf(tenantId, now, alias)) !== alias) return;
      await people.updateOne({ _id: idOf(tenantId, before), alias }, { $set: { is_former: true } });
    },
    find: async (tenant_id, alias) => (await people.findOne({ tenant_id, alias, is_former: { $exists: false } }))?.user_id ?? null,
    known: async (tenantId, userId) => (await people.findOne({ _id: idOf(tenantId, userId) }))?.alias ?? null,
  };
}
