import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import type { OfficialTemplate } from '../../../store/contacts/labels.ts';
import type { GraphClient, Outcome } from './graph-client.ts';

export type VendorTemplate = Omit<OfficialTemplate, 'session_id' | 'waba_id' | 'synced_at' | 'untold'>;

const FIELDS = 'id,name,language,status,category,quality_score,parameter_format,components,rejected_reason';
const PAGE = 100;
const textOf = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};
const wordOf = (value: unknown, name: string): string => textOf(value, name).toLowerCase();

interface Page {
  readonly templates: readonly VendorTemplate[];
  readonly after: string | null;
}

export async function listTemplates(
  graph: GraphClient,
  wabaId: string,
  name: string | null,
  after: string,
): Promise<Page | Exclude<Outcome, { kind: 'ok' }>> {
  const query = new URLSearchParams({
    fields: FIELDS,
    limit: String(PAGE),
    ...(name !== null && { name }),
    ...(after !== '' && { after }),
  });
  const answer = await graph.call({ method: 'GET', path: `${wabaId}/message_templates?${query}` });
  if (answer.kind !== 'ok') return answer;
  const data = memberOf(answer.body, 'data');
  const templates: VendorTemplate[] = [];
  for (const one of Array.isArray(data) ? data : []) {
    const read = templateOf(one);
    // Leave out names that merely start with this one, which the platform's search also returns.
    if (read && (name === null || read.name === name)) templates.push(read);
  }
  const paging = memberOf(answer.body, 'paging');
  const next = memberOf(paging, 'next') === undefined ? '' : textOf(memberOf(paging, 'cursors'), 'after');
  return { templates, after: next === '' || next === after ? null : next };
}

function templateOf(value: unknown): VendorTemplate | null {
  const [id, name, language] = [textOf(value, 'id'), textOf(value, 'name'), textOf(value, 'language')];
  if (id === '' || name === '' || language === '') return null;
  const components = memberOf(value, 'components');
  const reason = wordOf(value, 'rejected_reason');
  return {
    ...{ id, name, language, category: wordOf(value, 'category'), status: wordOf(value, 'status') },
    quality: wordOf(memberOf(value, 'quality_score'), 'score') || null,
    format: wordOf(value, 'parameter_format') === 'named' ? 'named' : 'positional',
    components: Array.isArray(components) ? components.filter(isRecord) : [],
    reason: reason === '' || reason === 'none' ? null : reason,
  };
}

export type NewVendorTemplate = Pick<OfficialTemplate, 'name' | 'language' | 'category' | 'format' | 'components'>;

/** Submits once. If the response is lost, the next sync shows whether the template exists. */
export async function submitTemplate(
  graph: GraphClient,
  wabaId: string,
  { name, language, category, format, components }: NewVendorTemplate,
): Promise<VendorTemplate | Exclude<Outcome, { kind: 'ok' }>> {
  const json = { name, language, category: category.toUpperCase(), parameter_format: format.toUpperCase(), components };
  const answer = await graph.call({ method: 'POST', path: `${wabaId}/message_templates`, json });
  if (answer.kind !== 'ok') return answer;
  const given = { name, language, format, components, quality: null, reason: null };
  const [status, word] = [wordOf(answer.body, 'status') || 'pending', wordOf(answer.body, 'category') || category];
  return { ...given, id: textOf(answer.body, 'id'), status, category: word };
}

export const removeTemplate = (
  graph: GraphClient,
  { waba_id, id, name }: Pick<OfficialTemplate, 'waba_id' | 'id' | 'name'>,
): Promise<Outcome> => graph.call({ method: 'DELETE', path: `${waba_id}/message_templates?${new URLSearchParams({ hsm_id: id, name })}` });
