import type { LabelLists } from '../../../store/contacts/labels.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import type { RecurringPatch, RecurringRow, RecurringTemplate, ScheduleConfig, ScheduleType } from '../../../store/scheduling/recurring.ts';
import { type Fault, invalid, invalidField, refusal } from '../../domain/refusals.ts';
import { MAX_CAPTION_LENGTH } from '../../domain/text-tokens.ts';
import { expectSendable } from '../contacts/templates.ts';
import { expectAll, type NumberReader, type Reader } from '../identities/number-reader.ts';
import type { PreparedFiles } from '../media/prepared-files.ts';
import { fits, isMediaType, type MediaType } from '../media/types.ts';
import { nextRunOf } from './run-recurring.ts';

const MAX_NAMED = 20;

export async function resolveTargets(numbers: NumberReader, reader: Reader, targets: readonly string[]): Promise<readonly string[]> {
  const found = await numbers.chats(reader, targets);
  const bad = targets.filter((_target, nth) => typeof found[nth] !== 'string');
  if (bad.length === 0) return [...new Set(expectAll(found))];
  const more = bad.length > MAX_NAMED ? ` (+${bad.length - MAX_NAMED})` : '';
  const readings = found.flatMap((one) => (typeof one === 'string' ? [] : (one.details['readings'] ?? []))).slice(0, MAX_NAMED);
  throw refusal('INVALID_TARGETS', { reason: `${bad.slice(0, MAX_NAMED).join(', ')}${more}`, ...(readings.length > 0 && { readings }) });
}

export function configOf(type: ScheduleType, config: Partial<ScheduleConfig>): ScheduleConfig {
  const faults = faultsOfSchedule(type, config);
  if (faults.length > 0) throw invalid(faults);
  const { hour = 9, minute = 0, day = 1, every_days = 1 } = config;
  switch (type) {
    case 'daily':
      return { hour, minute };
    case 'interval':
      return { hour, minute, every_days };
    case 'weekly':
    case 'monthly':
      return { hour, minute, day };
  }
}

const DAYS: Readonly<Partial<Record<ScheduleType, readonly [first: number, last: number]>>> = { weekly: [0, 6], monthly: [1, 31] };

export function faultsOfSchedule(type: ScheduleType, { day = 1 }: Partial<ScheduleConfig>): readonly Fault[] {
  const [first, last] = DAYS[type] ?? [day, day];
  return day < first || day > last ? [{ path: 'schedule_config.day', ...dayRange(first, last) }] : [];
}

type Content = Pick<RecurringRow, 'message' | 'media_r2_key' | 'message_type' | 'parts' | 'template'>;

export interface AskedContent {
  readonly message: string | null;
  readonly media: MediaRow | null;
  readonly template: RecurringTemplate | null;
}

export interface ContentDeps {
  readonly labels: { readonly templates: Pick<LabelLists['templates'], 'find'> };
  readonly media: Pick<PreparedFiles, 'prepare'>;
}

export async function recurringContent(deps: ContentDeps, device: DeviceRow, { message, media, template }: AskedContent): Promise<Content> {
  if (template) return { ...(await templateContent(deps, device, template, media)), template };
  return { ...(await ownContent(deps.media, message, media)), template: null };
}

async function templateContent(
  { labels, media: files }: ContentDeps,
  { tenant_id, official: number = null }: DeviceRow,
  { id, variables }: RecurringTemplate,
  media: MediaRow | null,
): Promise<Content> {
  const found = await labels.templates.find(tenant_id, id);
  if (!found) throw refusal('NOT_FOUND', { reason: 'template_id' });
  const { official, message_type: type, body } = found;
  if (!official) throw invalidField('template_id', OFFICIAL_ONLY);
  expectSendable(official, number, Object.fromEntries(variables.map(({ name, value }) => [name, value])));
  if (isMediaType(type) ? !media || !fits(type, media.content_type) : media) throw invalidField('media_r2_key', headerOf(type));
  if (!media || !isMediaType(type)) return { message: body, media_r2_key: null, message_type: type, parts: {} };
  const prepared = await files.prepare(media, { type });
  return { message: body, media_r2_key: media._id, message_type: prepared.type, parts: { media: prepared.media } };
}

async function ownContent(files: Pick<PreparedFiles, 'prepare'>, message: string | null, media: MediaRow | null): Promise<Content> {
  if (!media && message === null) throw invalid([NO_CONTENT]);
  if (!media) return { message, media_r2_key: null, message_type: 'text', parts: {} };
  if ((message?.length ?? 0) > MAX_CAPTION_LENGTH) throw invalidField('message', TOO_LONG);
  const message_type = typeOf(media.content_type);
  const prepared = await files.prepare(media, { type: message_type });
  return {
    message: hasText(message_type) ? message : null,
    media_r2_key: media._id,
    message_type: prepared.type,
    parts: { media: prepared.media },
  };
}

export const NO_CONTENT: Fault = {
  path: 'message',
  en: 'message, media_r2_key or template_id is required',
  id: 'message, media_r2_key atau template_id wajib diisi',
};
export const TWO_TEXTS: Fault = {
  path: 'template_id',
  en: 'send either message or template_id, not both',
  id: 'kirim message atau template_id, jangan keduanya',
};
export const NO_TEMPLATE: Fault = {
  path: 'variables',
  en: 'variables work only with an official template: template_id is required',
  id: 'variables hanya berlaku untuk templat resmi: template_id wajib diisi',
};
const OFFICIAL_ONLY = { en: 'only official templates can be sent here', id: 'hanya templat resmi yang dapat dikirim di sini' };
const headerOf = (type: string) =>
  type === 'text'
    ? { en: 'the template has no file', id: 'templat ini tidak punya berkas' }
    : { en: `the header of the template needs a file of type ${type}`, id: `header templat memerlukan berkas bertipe ${type}` };

const SHOWN = ['image', 'video', 'audio'] as const;

const typeOf = (contentType: string): MediaType => SHOWN.find((type) => fits(type, contentType)) ?? 'document';

/** With `isAnew`, the interval starts again now. Otherwise, a due run stays due. */
export function rescheduled(row: RecurringRow, isAnew: boolean, now: number): RecurringPatch {
  const since = isAnew ? now : row.since;
  const isDue = !isAnew && row.next_run_at !== null && row.next_run_at <= now;
  const next_run_at = isDue ? row.next_run_at : nextRunOf({ ...row, since }, now);
  return { since, next_run_at: row.is_active ? next_run_at : null };
}

const dayRange = (first: number, last: number) => ({
  en: `schedule_config.day must be ${first} to ${last} for this type`,
  id: `schedule_config.day harus ${first} sampai ${last} untuk tipe ini`,
});

const TOO_LONG = {
  en: `message is the caption of the file: it may have at most ${MAX_CAPTION_LENGTH} characters`,
  id: `message adalah keterangan berkas: paling banyak ${MAX_CAPTION_LENGTH} karakter`,
};
