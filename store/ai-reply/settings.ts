import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface AiSettings {
  readonly enabled: boolean;
  readonly session_ids: readonly string[] | null;
  readonly persona: string;
  readonly language: 'auto' | 'en' | 'id';
  readonly handoff_keywords: readonly string[];
  readonly only_when: 'always' | 'outside_hours' | 'unassigned';
  readonly max_per_chat_hour: number;
  /** Minimum share of the question that a reply must cover; if null, the calibrated value is used. */
  readonly threshold: number | null;
}

/** Expected quality of a search index; see actors/services/ai-reply/retrieval/calibration.ts. */
export interface StoredCalibration {
  readonly of: string;
  readonly thresholds: { readonly answers: number; readonly passages: number };
  readonly quality: { readonly answered: number; readonly right: number; readonly false: number };
}

interface SettingsRow {
  readonly _id: string;
  readonly settings: Partial<AiSettings>;
  readonly knowledge_rev: number;
  readonly calibration: StoredCalibration | null;
}

export interface AiTenant {
  readonly settings: AiSettings;
  readonly knowledgeRev: number;
  readonly calibration: StoredCalibration | null;
}

const AI_DEFAULTS: AiSettings = {
  enabled: false,
  session_ids: null,
  persona: '',
  language: 'auto',
  handoff_keywords: ['agent', 'human', 'operator', 'admin', 'customer service', 'cs', 'bicara dengan admin', 'hubungkan ke admin'],
  only_when: 'always',
  max_per_chat_hour: 6,
  threshold: null,
};

export interface AiSettingsStore {
  find(tenantId: string): Promise<AiTenant>;
  change(tenantId: string, patch: Partial<AiSettings>): Promise<void>;
  /** Invalidates all earlier indexes. Call it after the change has been stored. */
  knowledgeChanged(tenantId: string): Promise<void>;
  calibrated(tenantId: string, calibration: StoredCalibration): Promise<void>;
}

const spec: CollectionSpec = { name: 'ai_settings', indexes: [] };

export function aiSettingsIn(store: Store): AiSettingsStore {
  const rows: Collection<SettingsRow> = store.collection<SettingsRow>(spec);

  async function upsert(_id: string, update: object, first: Partial<SettingsRow>): Promise<void> {
    try {
      await rows.updateOne({ _id }, { ...update, $setOnInsert: first }, { upsert: true });
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      await rows.updateOne({ _id }, update);
    }
  }

  return {
    async find(_id) {
      const row = await rows.findOne({ _id });
      return {
        settings: { ...AI_DEFAULTS, ...row?.settings },
        knowledgeRev: row?.knowledge_rev ?? 0,
        calibration: row?.calibration ?? null,
      };
    },

    async change(_id, patch) {
      const fields = Object.fromEntries(Object.entries(patch).map(([name, value]) => [`settings.${name}`, value]));
      if (Object.keys(fields).length === 0) return;
      if (await rows.findOne({ _id })) return void (await rows.updateOne({ _id }, { $set: fields }));
      await upsert(_id, {}, { settings: patch, knowledge_rev: 0, calibration: null }).catch((cause) => {
        if (!isDuplicateKey(cause)) throw cause;
      });
      await rows.updateOne({ _id }, { $set: fields });
    },

    knowledgeChanged: (_id) => upsert(_id, { $inc: { knowledge_rev: 1 } }, { settings: {}, calibration: null }),
    calibrated: async (_id, calibration) => void (await rows.updateOne({ _id }, { $set: { calibration } })),
  };
}
