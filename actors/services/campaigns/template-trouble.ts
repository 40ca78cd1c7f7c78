import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { LabelLists } from '../../../store/contacts/labels.ts';

const PAUSED: ReadonlySet<string> = new Set(['paused', 'disabled']);

/** Error code of a template that cannot be sent now; null when it can, or there is none. */
export function createTemplateTrouble(templates: Pick<LabelLists['templates'], 'find'>): (row: CampaignRow) => Promise<string | null> {
  return async ({ tenant_id, template_id, official }) => {
    if (!official || template_id === null) return null;
    const status = (await templates.find(tenant_id, template_id))?.official?.status ?? 'missing';
    if (status === 'approved') return null;
    return PAUSED.has(status) ? 'template_paused' : 'template_missing';
  };
}
