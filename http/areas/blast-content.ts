import type { Audiences } from '../../actors/blast/audiences.ts';
import { gatheringOf } from '../../actors/blast/campaigns.ts';
import type { MediaLibrary } from '../../actors/media/library.ts';
import { fits, isMediaType } from '../../actors/media/types.ts';
import { refusal } from '../../actors/refusals.ts';
import type { Audience, BlastDraft, BlastRow } from '../../store/blasts.ts';
import type { Devices } from '../../store/devices.ts';
import type { Caller } from '../row.ts';
import type { BlastBody } from './blast-schemas.ts';

export interface ContentWorld {
  readonly devices: Pick<Devices, 'find'>;
  readonly media: Pick<MediaLibrary, 'use'>;
  /** What a template says now; null: there is no such one. */
  templateText(tenantId: string, templateId: string): Promise<string | null>;
  rotatorExists(tenantId: string, rotatorId: string): Promise<boolean>;
  readonly audiences: Pick<Audiences, 'exists'>;
  requiresAttestation(tenantId: string): Promise<boolean>;
}

type Fields = Pick<
  BlastBody,
  'session_id' | 'rotator_id' | 'message_type' | 'body' | 'template_id' | 'media_r2_key' | 'caption' | 'segment_id' | 'tag' | 'group_id'
>;

/** What a body asks for, checked against what there is. Refuses VALIDATION_FAILED, NOT_FOUND, FORBIDDEN, CONSENT_ATTESTATION_REQUIRED. */
export async function draftOf(world: ContentWorld, caller: Caller, body: BlastBody, now: number): Promise<BlastDraft> {
  const route = await routeOf(world, caller, body);
  const content = await contentOf(world, caller.tenantId, body);
  const audience = await audienceOf(world, caller.tenantId, body);
  const consent_attested_at = body.consent_attested ? now : null;
  const scheduled_at = await timeOf(world, caller.tenantId, body.scheduled_at ?? null, consent_attested_at, now);
  return {
    ...route,
    name: body.name,
    ...content,
    audience,
    gathering: gatheringOf(audience),
    consent_attested_at,
    scheduled_at,
    due_at: null,
  };
}

/** The fields of a draft that a change touches: what belongs together is checked together. */
export async function changeOf(
  world: ContentWorld,
  caller: Caller,
  row: BlastRow,
  body: Partial<BlastBody>,
  now: number,
): Promise<Partial<BlastDraft>> {
  const { tenantId } = caller;
  const attested = body.consent_attested === undefined ? row.consent_attested_at : body.consent_attested ? now : null;
  const scheduled = body.scheduled_at === undefined ? row.scheduled_at : body.scheduled_at;
  const isTimed = body.scheduled_at !== undefined || body.consent_attested !== undefined;
  const scheduled_at = isTimed ? await timeOf(world, tenantId, scheduled, attested, now) : scheduled;
  const audience = names(body, AUDIENCES) ? await audienceOf(world, tenantId, body) : row.audience;
  return {
    ...(names(body, ['session_id', 'rotator_id']) && (await routeOf(world, caller, body))),
    ...(names(body, CONTENT) && (await contentOf(world, tenantId, { ...asAsked(row, body), ...body }))),
    ...(body.name !== undefined && { name: body.name }),
    audience,
    gathering: gatheringOf(audience),
    consent_attested_at: attested,
    scheduled_at,
    due_at: scheduled_at,
  };
}

const AUDIENCES = ['segment_id', 'tag', 'group_id'] as const;
const CONTENT = ['message_type', 'body', 'template_id', 'media_r2_key', 'caption'] as const;

const names = (body: Partial<BlastBody>, fields: readonly (keyof BlastBody)[]): boolean =>
  fields.some((field) => body[field] !== undefined);

/** What a draft says now, as its caller would have asked for it; a new text takes the place of a template and the other way round. */
function asAsked({ message_type, body, template_id, media_r2_key, caption }: BlastRow, change: Partial<BlastBody>): Fields {
  return {
    message_type,
    ...(body !== null && template_id === null && change.template_id === undefined && { body }),
    ...(template_id !== null && change.body === undefined && { template_id }),
    ...(media_r2_key !== null && { media_r2_key }),
    ...(caption !== null && { caption }),
  };
}

async function routeOf({ devices, rotatorExists }: ContentWorld, { tenantId, key }: Caller, body: Partial<Fields>) {
  const { session_id, rotator_id } = body;
  if ((session_id === undefined) === (rotator_id === undefined)) throw wrong(ONE_ROUTE);
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

type Content = Pick<BlastDraft, 'message_type' | 'body' | 'template_id' | 'media_r2_key' | 'media' | 'caption'>;

async function contentOf(world: ContentWorld, tenantId: string, fields: Fields): Promise<Content> {
  const { message_type, caption } = fields;
  const text = await textOf(world, tenantId, fields);
  if (isMediaType(message_type)) return { message_type, ...text, ...(await fileOf(world, tenantId, fields)), caption: caption ?? null };
  if (text.body === null) throw wrong(ONE_TEXT);
  return { message_type, ...text, media_r2_key: null, media: null, caption: null };
}

async function textOf({ templateText }: ContentWorld, tenantId: string, { body, template_id }: Fields) {
  if (body !== undefined && template_id !== undefined) throw wrong(TWO_TEXTS);
  if (template_id === undefined) return { body: body ?? null, template_id: null };
  const text = await templateText(tenantId, template_id);
  if (text === null) throw refusal('NOT_FOUND', { reason: 'template_id' });
  return { body: text, template_id };
}

async function fileOf({ media }: ContentWorld, tenantId: string, { message_type, media_r2_key }: Fields) {
  if (media_r2_key === undefined) throw wrong(FILE_NEEDED);
  const { content_type, filename, size, sha256 } = await media.use(tenantId, media_r2_key);
  if (!isMediaType(message_type) || !fits(message_type, content_type)) throw wrong(unfit(message_type, content_type));
  return { media_r2_key, media: { content_type, filename, size, sha256 } };
}

async function audienceOf({ audiences }: ContentWorld, tenantId: string, body: Partial<Fields>): Promise<Audience | null> {
  const by = AUDIENCES.find((field) => body[field] !== undefined);
  if (by === undefined) return null;
  const audience: Audience = { by, value: body[by] ?? '' };
  if (!(await audiences.exists(tenantId, audience))) throw refusal('NOT_FOUND', { reason: by });
  return audience;
}

/** A draft that starts by itself has nobody to ask for an attestation then. */
async function timeOf(
  world: ContentWorld,
  tenantId: string,
  at: number | null,
  attestedAt: number | null,
  now: number,
): Promise<number | null> {
  if (at === null) return null;
  if (at <= now) throw wrong(PAST);
  if (attestedAt === null && (await world.requiresAttestation(tenantId))) throw refusal('CONSENT_ATTESTATION_REQUIRED');
  return at;
}

type Reason = { readonly en: string; readonly id: string };

const wrong = (reason: Reason) => refusal('VALIDATION_FAILED', { reason });

const ONE_ROUTE: Reason = {
  en: 'exactly one of session_id and rotator_id is required',
  id: 'tepat satu dari session_id dan rotator_id wajib diisi',
};
const ONE_TEXT: Reason = { en: 'one of body and template_id is required', id: 'salah satu dari body dan template_id wajib diisi' };
const TWO_TEXTS: Reason = {
  en: 'body and template_id cannot be given together',
  id: 'body dan template_id tidak dapat diberikan bersamaan',
};
const FILE_NEEDED: Reason = { en: 'media_r2_key is required for this type', id: 'media_r2_key wajib diisi untuk tipe ini' };
const PAST: Reason = { en: 'scheduled_at is in the past', id: 'scheduled_at sudah lewat' };
const unfit = (type: string, contentType: string): Reason => ({
  en: `the file is ${contentType}, which is not ${type}`,
  id: `berkas adalah ${contentType}, bukan ${type}`,
});
