import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { LabelLists } from '../../../store/contacts/labels.ts';

const PAUSED: ReadonlySet<string> = new Set(['paused', 'disabled']);

type Templates = Pick<LabelLists['templates'], 'find'>;

export function createTemplateTrouble(templates: Templates): (row: CampaignRow) => Promise<string | null> {
  return async ({ tenant_id, template_id, official }) =>
    official && template_id !== null ? templateTrouble(templates, tenant_id, template_id) : null;
}

/** Returns an error code, or null if the template can be sent. */
export async function templateTrouble(templates: Templates, tenantId: string, id: string): Promise<string | null> {
  const status = (await templates.find(tenantId, id))?.official?.status ?? 'missing';
  if (status === 'approved') return null;
  return PAUSED.has(status) ? 'template_paused' : 'template_missing';
}
