import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface ConsentConfig {
  readonly enabled: boolean;
  readonly optout_keywords: readonly string[];
  readonly optin_keywords: readonly string[];
  /** Null selects the default text in the tenant's language; '' sends no confirmation. */
  readonly optout_reply: string | null;
  readonly optin_reply: string | null;
  readonly enforce_api: boolean;
  readonly require_attestation: boolean;
}

export interface ConsentConfigRow {
  readonly _id: string;
  readonly revision: number;
  readonly config: Partial<ConsentConfig>;
}

export interface ConsentConfigs {
  find(tenantId: string): Promise<ConsentConfigRow | null>;
  save(tenantId: string, revision: number, config: Partial<ConsentConfig>): Promise<boolean>;
}

const spec: CollectionSpec = { name: 'consent_configs', indexes: [] };

export function consentConfigsIn(store: Store): ConsentConfigs {
  const configs: Collection<ConsentConfigRow> = store.collection<ConsentConfigRow>(spec);

  async function create(row: ConsentConfigRow): Promise<boolean> {
    try {
      await configs.insertOne(row);
      return true;
    } catch (cause) {
      if (isDuplicateKey(cause)) return false;
      throw cause;
    }
  }

  return {
    find: (_id) => configs.findOne({ _id }),

    async save(_id, revision, config) {
      if (revision === 0) return create({ _id, revision: 1, config });
      return (await configs.updateOne({ _id, revision }, { $set: { config }, $inc: { revision: 1 } })).matchedCount === 1;
    },
  };
}
