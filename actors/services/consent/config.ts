import { entriesOf } from '../../../runtime/keys-of.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { SafeText } from '../../../runtime/safe-text.ts';
import type { ConsentConfig, ConsentConfigRow, ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import { CHANGED_MEANWHILE, refusal } from '../../domain/refusals.ts';
import { compileOptOut, compileWords } from './keywords.ts';
import { DEFAULT_OPT_IN, DEFAULT_OPT_OUT } from './words/words.ts';

export const DEFAULT_CONFIG: ConsentConfig = {
  enabled: true,
  optout_keywords: DEFAULT_OPT_OUT,
  optin_keywords: DEFAULT_OPT_IN,
  optout_reply: null,
  optin_reply: null,
  enforce_api: false,
  require_attestation: false,
};

const TRIES = 20;

export async function consentConfigOf(configs: ConsentConfigs, tenantId: string): Promise<ConsentConfig> {
  return inForce(await configs.find(tenantId));
}

export function weakensConsent(field: string, before: unknown, after: unknown): boolean {
  switch (field) {
    case 'enabled':
    case 'enforce_api':
    case 'require_attestation':
      return after === false && (before ?? DEFAULT_CONFIG[field]) === true;
    case 'optout_keywords': {
      const [known, kept] = [before ?? DEFAULT_OPT_OUT, new Set(Array.isArray(after) ? after : [])];
      return Array.isArray(known) && known.some((word) => !kept.has(word));
    }
    default:
      return false;
  }
}

export async function changeConsentConfig(
  configs: ConsentConfigs,
  tenantId: string,
  patch: Partial<ConsentConfig>,
  expectStepUp: () => void,
): Promise<ConsentConfig> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const row = await configs.find(tenantId);
    if (entriesOf(patch).some(([field, after]) => weakensConsent(field, row?.config[field], after))) expectStepUp();
    const config = { ...row?.config, ...patch };
    if (await configs.save(tenantId, row?.revision ?? 0, config)) return { ...DEFAULT_CONFIG, ...config };
  }
  throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
}

const inForce = (row: ConsentConfigRow | null): ConsentConfig => ({ ...DEFAULT_CONFIG, ...row?.config });

export type MatchConsent = (text: SafeText) => 'opted_out' | 'opted_in' | null;

const DEAF: MatchConsent = () => null;

export class ConsentMatchers {
  readonly #configs: ConsentConfigs;
  readonly #compiled = new RecentCache<string, { readonly revision: number; readonly matchConsent: MatchConsent }>(1_000);

  constructor(configs: ConsentConfigs) {
    this.#configs = configs;
  }

  /** Reads the settings for every message, so that a change takes effect on all nodes at once. */
  async of(tenantId: string): Promise<MatchConsent> {
    const row = await this.#configs.find(tenantId);
    const revision = row?.revision ?? 0;
    const known = this.#compiled.get(tenantId);
    if (known?.revision === revision) return known.matchConsent;
    const matchConsent = listener(inForce(row));
    this.#compiled.set(tenantId, { revision, matchConsent });
    return matchConsent;
  }
}

const defaultOut = compileOptOut(DEFAULT_OPT_OUT);
const defaultIn = compileWords(DEFAULT_OPT_IN);

/** A keyword on both lists is treated as an opt-out. */
function listener({ enabled, optout_keywords, optin_keywords }: ConsentConfig): MatchConsent {
  if (!enabled) return DEAF;
  const isOut = optout_keywords === DEFAULT_OPT_OUT ? defaultOut : compileOptOut(optout_keywords);
  const isIn = optin_keywords === DEFAULT_OPT_IN ? defaultIn : compileWords(optin_keywords);
  return (text) => (isOut(text) ? 'opted_out' : isIn(text) ? 'opted_in' : null);
}
