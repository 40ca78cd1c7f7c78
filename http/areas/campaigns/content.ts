import { type Fault, invalid, invalidField, refusal } from '../../../actors/domain/refusals.ts';
import type { Audiences } from '../../../actors/services/campaigns/audiences.ts';
import { gatheringOf } from '../../../actors/services/campaigns/campaigns.ts';
import { faultsOfVariables, textOf as templateText } from '../../../actors/services/contacts/templates.ts';
import type { FileAccess } from '../../../actors/services/media/file-access.ts';
import type { PreparedFiles } from '../../../actors/services/media/prepared-files.ts';
import { fits, isMediaType } from '../../../actors/services/media/types.ts';
import type { Audience, CampaignContent, CampaignDraft, CampaignRow, CampaignTemplate } from '../../../store/campaigns/campaigns.ts';
import type { OfficialTemplate, TemplateRow } from '../../../store/contacts/labels.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import type { Caller } from '../../core/row.ts';
import { faultIfPast } from '../../core/times.ts';
import { fileViewer } from '../params.ts';
import type { CampaignBody } from './schemas.ts';

export interface ContentServices {
  readonly devices: Pick<Devices, 'find'>;
  readonly files: Pick<FileAccess, 'use'>;
  readonly media: Pick<PreparedFiles, 'prepare'>;
  templateOf(tenantId: string, templateId: string): Promise<TemplateRow | null>;
  rotatorExists(tenantId: string, rotatorId: string): Promise<boolean>;
  readonly audiences: Pick<Audiences, 'named' | 'tagIds'>;
  requiresAttestation(tenantId: string): Promise<boolean>;
}

type Fields = Pick<
  CampaignBody,
  | 'session_id'
  | 'rotator_id'
  | 'message_type'
  | 'body'
  | 'template_id'
  | 'variables'
  | 'media_r2_key'
  | 'caption'
  | (typeof AUDIENCES)[number]
>;

/** Fails with VALIDATION_FAILED, NOT_FOUND, FORBIDDEN or CONSENT_ATTESTATION_REQUIRED. */
export async function draftOf(services: ContentServices, caller: Caller, body: CampaignBody, now: number): Promise<CampaignDraft> {
  const route = await routeOf(services, caller, body);
  const content = await contentOf(services, caller, body);
  const audience = await audienceOf(services, caller.tenantId, body);
  const consent_attested_at = body.consent_attested ? now : null;
  const scheduled_at = await timeOf(services, caller.tenantId, body.scheduled_at ?? null, consent_attested_at, now);
  return {
    ...route,
    name: body.name,
    ...content,
    audience,
    ...(await narrowingOf(services, caller.tenantId, body)),
    gathering: gatheringOf(audience),
    consent_attested_at,
    scheduled_at,
    due_at: null,
  };
}

/** Writes only the changed fields, so that concurrent changes of other fields survive. */
export async function changeOf(
  services: ContentServices,
  caller: Caller,
  row: CampaignRow,
  body: Partial<CampaignBody>,
  now: number,
): Promise<Partial<CampaignDraft>> {
  const { tenantId } = caller;
  const times = await timesOf(services, tenantId, row, body, now);
  const audience = names(body, AUDIENCES) ? await audienceOf(services, tenantId, body) : null;
  return {
    ...(names(body, ['session_id', 'rotator_id']) && (await routeOf(services, caller, body))),
    ...(names(body, CONTENT) && (await contentOf(services, caller, { ...asAsked(row, body), ...body }))),
    ...(body.name !== undefined && { name: body.name }),
    ...(audience && { audience, gathering: gatheringOf(audience) }),
    ...(await narrowingOf(services, tenantId, body)),
    ...times,
  };
}

async function timesOf(
  services: ContentServices,
  tenantId: string,
  row: CampaignRow,
  { scheduled_at, consent_attested }: Partial<CampaignBody>,
  now: number,
): Promise<Partial<CampaignDraft>> {
  if (scheduled_at === undefined && consent_attested === undefined) return {};
  const consent_attested_at = consent_attested === undefined ? row.consent_attested_at : consent_attested ? now : null;
  const at = await timeOf(services, tenantId, scheduled_at === undefined ? row.scheduled_at : scheduled_at, consent_attested_at, now);
  return {
    ...(consent_attested !== undefined && { consent_attested_at }),
    ...(scheduled_at !== undefined && { scheduled_at: at, due_at: at }),
  };
}

export const contentAsRead = (
  { message_type, body, template_id, media_r2_key, caption }: CampaignRow,
  change: Partial<CampaignBody>,
): Partial<CampaignContent> => (names(change, CONTENT) ? { message_type, body, template_id, media_r2_key, caption } : {});

const AUDIENCES = ['segment_id', 'tag', 'tags', 'group_id', 'all_contacts'] as const;
const CONTENT = ['message_type', 'body', 'template_id', 'variables', 'media_r2_key', 'caption'] as const;

const names = (body: Partial<CampaignBody>, fields: readonly (keyof CampaignBody)[]): boolean =>
  fields.some((field) => body[field] !== undefined);

/** A new text replaces the template, and a new template replaces the text. */
function asAsked({ message_type, body, template_id, media_r2_key, caption, official }: CampaignRow, change: Partial<CampaignBody>): Fields {
  const isSame = template_id !== null && change.body === undefined && change.template_id === undefined;
  return {
    ...(official && isSame && { variables: Object.fromEntries(official.variables.map(({ name, value }) => [name, value])) }),
    message_type,
    ...(body !== null && template_id === null && change.template_id === undefined && { body }),
    ...(template_id !== null && change.body === undefined && { template_id }),
    ...(media_r2_key !== null && { media_r2_key }),
    ...(caption !== null && { caption }),
  };
}

async function routeOf({ devices, rotatorExists }: ContentServices, { tenantId, key }: Caller, body: Partial<Fields>) {
  const { session_id, rotator_id } = body;
  if ((session_id === undefined) === (rotator_id === undefined)) throw invalidField('session_id', ONE_ROUTE);
  const own = key?.sessionIds;
  if (session_id === undefined) {
    if (own) throw refusal('FORBIDDEN');
    if (!(await rotatorExists(tenantId, rotator_id ?? ''))) throw refusal('NOT_FOUND', { reason: 'rotator_id' });
    return { session_id: null, rotator_id: rotator_id ?? null };
  }
  if (!(await devices.find(tenantId, session_id))) throw refusal('NOT_FOUND', { reason: 'session_id' });
  if (own && !own.includes(session_id)) throw refusal('FORBIDDEN');
  return { session_id, rotator_id: null };
}

type Content = Pick<CampaignDraft, 'message_type' | 'body' | 'template_id' | 'media_r2_key' | 'media' | 'caption' | 'official'>;

async function contentOf(services: ContentServices, caller: Caller, fields: Fields): Promise<Content> {
  const { message_type, caption } = fields;
  const text = await textOf(services, caller.tenantId, fields);
  if (isMediaType(message_type)) {
    const file = await fileOf(services, caller, fields);
    return hasText(message_type) ? { ...text, ...file, caption: caption ?? null } : { ...text, body: null, ...file, caption: null };
  }
  if (text.body === null) throw invalidField('body', ONE_TEXT);
  return { message_type, ...text, media_r2_key: null, media: null, caption: null };
}

async function textOf({ templateOf }: ContentServices, tenantId: string, { body, template_id, variables, message_type }: Fields) {
  if (body !== undefined && template_id !== undefined) throw invalidField('template_id', TWO_TEXTS);
  if (template_id === undefined) return { body: body ?? null, template_id: null, official: null };
  const template = await templateOf(tenantId, template_id);
  if (!template) throw refusal('NOT_FOUND', { reason: 'template_id' });
  if (!template.official) {
    if (variables !== undefined) throw invalidField('variables', NO_VARIABLES);
    return { body: templateText(template), template_id, official: null };
  }
  if (template.message_type !== message_type) throw invalidField('message_type', ofType(template.message_type));
  return { body: template.body, template_id, official: officialOf(template.official, variables ?? {}) };
}

function officialOf(template: OfficialTemplate, variables: Readonly<Record<string, string>>): CampaignTemplate {
  const faults = faultsOfVariables(template, variables);
  if (faults.length > 0) throw invalid(faults);
  const { waba_id, name, language, category, components } = template;
  return {
    waba_id,
    name,
    language,
    category,
    components,
    variables: Object.entries(variables).map(([of, value]) => ({ name: of, value })),
  };
}

async function fileOf({ files, media }: ContentServices, caller: Caller, { message_type, media_r2_key }: Fields) {
  if (media_r2_key === undefined) throw invalidField('media_r2_key', FILE_NEEDED);
  const file = await files.use(fileViewer(caller), media_r2_key);
  if (!isMediaType(message_type) || !fits(message_type, file.content_type))
    throw invalidField('media_r2_key', unfit(message_type, file.content_type));
  const prepared = await media.prepare(file, { type: message_type });
  return { media_r2_key, message_type: prepared.type, media: prepared.media };
}

async function audienceOf({ audiences }: ContentServices, tenantId: string, body: Partial<Fields>): Promise<Audience | null> {
  const by = AUDIENCES.find((field) => body[field] !== undefined);
  if (by === undefined) return null;
  const audience = await audiences.named(tenantId, by, body[by] ?? '');
  if (!audience) throw refusal('NOT_FOUND', { reason: by });
  return audience;
}

async function narrowingOf(
  { audiences }: ContentServices,
  tenantId: string,
  { exclude_tags, skip_if_messaged_within_hours }: Partial<CampaignBody>,
): Promise<Pick<CampaignDraft, 'exclude_tag_ids' | 'skip_if_messaged_within_hours'>> {
  const exclude_tag_ids = exclude_tags && (await audiences.tagIds(tenantId, exclude_tags));
  if (exclude_tag_ids === null) throw refusal('NOT_FOUND', { reason: 'exclude_tags' });
  return {
    ...(exclude_tag_ids && { exclude_tag_ids }),
    ...(skip_if_messaged_within_hours !== undefined && { skip_if_messaged_within_hours }),
  };
}

/** Consent must be attested now, because no caller is present when the draft starts by itself. */
async function timeOf(
  services: ContentServices,
  tenantId: string,
  at: number | null,
  attestedAt: number | null,
  now: number,
): Promise<number | null> {
  if (at === null) return null;
  const past = faultIfPast('scheduled_at', at, now);
  if (past.length > 0) throw invalid(past);
  if (attestedAt === null && (await services.requiresAttestation(tenantId))) throw refusal('CONSENT_ATTESTATION_REQUIRED');
  return at;
}

export function faultsOfCampaign(body: Partial<CampaignBody>): readonly Fault[] {
  const { session_id, rotator_id, message_type, body: text, template_id, variables, media_r2_key } = body;
  const faults: Fault[] = [];
  if ((session_id === undefined) === (rotator_id === undefined)) faults.push({ path: 'session_id', ...ONE_ROUTE });
  if (text !== undefined && template_id !== undefined) faults.push({ path: 'template_id', ...TWO_TEXTS });
  if (variables !== undefined && template_id === undefined) faults.push({ path: 'variables', ...NO_VARIABLES });
  if (message_type === 'text' && text === undefined && template_id === undefined) faults.push({ path: 'body', ...ONE_TEXT });
  if (message_type !== undefined && isMediaType(message_type) && media_r2_key === undefined)
    faults.push({ path: 'media_r2_key', ...FILE_NEEDED });
  return faults;
}

export const overdueIn = ({ scheduled_at }: Partial<CampaignBody>, now: number): readonly Fault[] =>
  faultIfPast('scheduled_at', scheduled_at, now);

type Reason = { readonly en: string; readonly id: string };

const ONE_ROUTE: Reason = {
  en: 'exactly one of session_id and rotator_id is required',
  id: 'tepat satu dari session_id dan rotator_id wajib diisi',
};
const NO_VARIABLES: Reason = { en: 'only official templates have variables', id: 'hanya templat resmi yang punya variabel' };
const ofType = (type: string): Reason => ({ en: `the template is of type ${type}`, id: `templat ini bertipe ${type}` });
const ONE_TEXT: Reason = { en: 'one of body and template_id is required', id: 'salah satu dari body dan template_id wajib diisi' };
const TWO_TEXTS: Reason = {
  en: 'send either body or template_id, not both',
  id: 'kirim body atau template_id, jangan keduanya',
};
const FILE_NEEDED: Reason = { en: 'media_r2_key is required for this type', id: 'media_r2_key wajib diisi untuk tipe ini' };
const unfit = (type: string, contentType: string): Reason => ({
  en: `the file is ${contentType}, which is not ${type}`,
  id: `jenis berkas ini ${contentType}, bukan ${type}`,
});
