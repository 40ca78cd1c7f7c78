import { isRecord, memberOf } from '../../../../runtime/shapes.ts';
import type { TemplateState } from '../protocol.ts';
import type { GraphHooks } from './graph-hooks.ts';
import { type GraphAccount, type GraphAnswer, type GraphRequest, type GraphTemplate, graphError } from './graph-state.ts';

type Fields = Readonly<Record<string, unknown>>;

const keyOf = (name: string, language: string): string => `${name}:${language}`;
const textIn = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};

function shown(template: GraphTemplate): Fields {
  const { id, name, language, status, category, parameterFormat, components, reason } = template;
  const common = { id, name, language, status: status.toUpperCase(), category, parameter_format: parameterFormat, components };
  return { ...common, quality_score: { score: 'UNKNOWN' }, rejected_reason: reason };
}

export function listTemplates(account: GraphAccount, { query }: GraphRequest): GraphAnswer {
  const limit = Math.max(1, Number(query.get('limit') ?? 25));
  const from = Number(query.get('after') ?? 0);
  const name = query.get('name');
  const all = [...account.templates.values()].filter((template) => name === null || template.name === name);
  const data = all.slice(from, from + limit).map(shown);
  const isLast = from + limit >= all.length;
  const after = String(from + limit);
  return {
    status: 200,
    body: { data, paging: isLast ? {} : { cursors: { after }, next: `/${account.id}/message_templates?after=${after}` } },
  };
}

export function createTemplate(account: GraphAccount, { body }: GraphRequest, id: string): GraphAnswer {
  const [name, language, category] = [textIn(body, 'name'), textIn(body, 'language'), textIn(body, 'category')];
  const components = Array.isArray(body['components']) ? body['components'].filter(isRecord) : [];
  if (!/^[a-z0-9_]{1,512}$/.test(name)) return graphError(100, 'Invalid template name');
  if (language === '' || category === '' || components.length === 0) return graphError(100, 'Missing language, category or components');
  if (account.templates.has(keyOf(name, language))) return graphError(2_388_023, 'A template of this name and language exists');
  const text = bodyTextOf(components);
  if (text === null) return graphError(100, 'A body is required');
  if (/^\s*\{\{|\}\}\s*$/.test(text)) return graphError(2_388_299, 'Variables can not be at the start or the end of the text');
  const parameterFormat = textIn(body, 'parameter_format') || 'POSITIONAL';
  const isNamed = variablesOf(text).some((variable) => !/^\d+$/.test(variable));
  if (isNamed && parameterFormat !== 'NAMED') return graphError(100, 'Named variables need parameter_format NAMED');
  const template: GraphTemplate = {
    id,
    name,
    language,
    category: category.toUpperCase(),
    status: 'pending',
    parameterFormat,
    components,
    reason: 'NONE',
  };
  account.templates.set(keyOf(name, language), template);
  return { status: 200, body: { id, status: template.status.toUpperCase(), category: template.category } };
}

export function deleteTemplate(account: GraphAccount, { query }: GraphRequest): GraphAnswer {
  const [name, id] = [query.get('name'), query.get('hsm_id')];
  for (const [key, template] of account.templates)
    if (template.name === name && (id === null || template.id === id)) account.templates.delete(key);
  return { status: 200, body: { success: true } };
}

export function judge(account: GraphAccount, hooks: GraphHooks, key: string, state: TemplateState): boolean {
  const template = account.templates.get(key);
  if (!template) return false;
  template.status = state;
  template.reason = state === 'rejected' ? 'INVALID_FORMAT' : 'NONE';
  hooks.tellAccount(account, 'message_template_status_update', {
    event: template.status.toUpperCase(),
    message_template_id: template.id,
    message_template_name: template.name,
    message_template_language: template.language.replace('_', '-'),
    reason: template.reason,
    ...(state === 'paused' && { other_info: { title: 'FIRST_PAUSE' } }),
  });
  return true;
}

export function fill(account: GraphAccount, given: unknown): { readonly text: string; readonly category: string } | GraphAnswer {
  const language = textIn(memberOf(given, 'language'), 'code');
  const template = account.templates.get(keyOf(textIn(given, 'name'), language));
  if (template?.status === 'paused') return graphError(132_015, 'Template is paused');
  if (template?.status === 'disabled') return graphError(132_016, 'Template is disabled');
  if (template?.status !== 'approved') return graphError(132_001, 'Template name does not exist in the translation');
  const parts = memberOf(given, 'components');
  const components = Array.isArray(parts) ? parts.filter(isRecord) : [];
  const parameters = components.find((part) => textIn(part, 'type').toLowerCase() === 'body')?.['parameters'];
  const values = Array.isArray(parameters) ? parameters.filter(isRecord) : [];
  const text = bodyTextOf(template.components) ?? '';
  const wanted = variablesOf(text);
  if (values.length !== wanted.length) return graphError(132_000, `Number of parameters does not match: ${wanted.length} expected`);
  const isNamed = template.parameterFormat === 'NAMED';
  if (isNamed && values.some((value) => textIn(value, 'parameter_name') === '')) return graphError(132_012, 'Parameter name is missing');
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = isNamed ? values.find((one) => textIn(one, 'parameter_name') === name) : values[wanted.indexOf(name)];
    return textIn(value, 'text');
  });
  return { text: filled, category: template.category.toLowerCase() };
}

function bodyTextOf(components: readonly Fields[]): string | null {
  const body = components.find((part) => textIn(part, 'type').toUpperCase() === 'BODY');
  return body ? textIn(body, 'text') : null;
}

const variablesOf = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name))];
