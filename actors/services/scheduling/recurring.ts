import type { MediaRow } from '../../../store/media/media.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import type { RecurringPatch, RecurringRow, ScheduleConfig, ScheduleType } from '../../../store/scheduling/recurring.ts';
import { type Fault, invalid, invalidField, refusal } from '../../domain/refusals.ts';
import { MAX_CAPTION_LENGTH } from '../../domain/text-tokens.ts';
import { expectAll, type NumberReader, type Reader } from '../identities/number-reader.ts';
import type { PreparedFiles } from '../media/prepared-files.ts';
import { fits, type MediaType } from '../media/types.ts';
import { nextRunOf } from './run-recurring.ts';

const MAX_NAMED = 20;

/** Refuses INVALID_TARGETS, which names invalid targets and the `readings` of ambiguous ones. */
export async function resolveTargets(numbers: NumberReader, reader: Reader, targets: readonly string[]): Promise<readonly string[]> {
  const found = await numbers.chats(reader, targets);
  const bad = targets.filter((_target, nth) => typeof found[nth] !== 'string');
  if (bad.length === 0) return [...new Set(expectAll(found))];
  const more = bad.length > MAX_NAMED ? ` (+${bad.length - MAX_NAMED})` : '';
  const readings = found.flatMap((one) => (typeof one === 'string' ? [] : (one.details['readings'] ?? []))).slice(0, MAX_NAMED);
  throw refusal('INVALID_TARGETS', { reason: `${bad.slice(0, MAX_NAMED).join(', ')}${more}`, ...(readings.length > 0 && { readings }) });
}

/** Adds defaults. Refuses VALIDATION_FAILED for a day outside the range of this type. */
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

type Content = Pick<RecurringRow, 'message' | 'media_r2_key' | 'message_type' | 'parts'>;

/** A text, or a file with a caption. Refuses VALIDATION_FAILED. */
export async function recurringContent(
  files: Pick<PreparedFiles, 'prepare'>,
  message: string | null,
  media: MediaRow | null,
): Promise<Content> {
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
  en: 'message or media_r2_key is required',
  id: 'message atau media_r2_key wajib diisi',
};

const SHOWN = ['image', 'video', 'audio'] as const;

const typeOf = (contentType: string): MediaType => SHOWN.find((type) => fits(type, contentType)) ?? 'document';

/** With `isAnew`, an interval restarts from now. Otherwise a due run that has not started stays due. */
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
