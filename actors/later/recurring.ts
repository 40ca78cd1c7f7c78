import { Refusal } from '../../runtime/errors.ts';
import type { MediaRow } from '../../store/media.ts';
import type { MessageType } from '../../store/messages.ts';
import type { RecurringPatch, RecurringRow, ScheduleConfig, ScheduleType } from '../../store/recurring.ts';
import { fits } from '../media/types.ts';
import { resolveChat } from '../phone-numbers.ts';
import { refusal } from '../refusals.ts';
import { nextRunOf } from './run-recurring.ts';

const MOST_NAMED = 20;
const LONGEST_CAPTION = 1_024;

/** The addresses of these, each once. Refuses INVALID_TARGETS, which names those that are none. */
export function resolveTargets(targets: readonly string[], callingCode: string): readonly string[] {
  const found = targets.map((target) => addressOf(target, callingCode));
  const bad = targets.filter((_target, nth) => found[nth] === null);
  if (bad.length === 0) return [...new Set(found.flatMap((address) => address ?? []))];
  const more = bad.length > MOST_NAMED ? ` (+${bad.length - MOST_NAMED})` : '';
  throw refusal('INVALID_TARGETS', { reason: `${bad.slice(0, MOST_NAMED).join(', ')}${more}` });
}

function addressOf(target: string, callingCode: string): string | null {
  try {
    return resolveChat(target, callingCode);
  } catch (cause) {
    if (cause instanceof Refusal) return null;
    throw cause;
  }
}

/** What a schedule of this type is made of, with its defaults. Refuses VALIDATION_FAILED for a day that the type does not have. */
export function configOf(type: ScheduleType, { hour = 9, minute = 0, day = 1, every_days = 1 }: Partial<ScheduleConfig>): ScheduleConfig {
  const [first, last] = type === 'weekly' ? [0, 6] : [1, 31];
  switch (type) {
    case 'daily':
      return { hour, minute };
    case 'interval':
      return { hour, minute, every_days };
    case 'weekly':
    case 'monthly':
      if (day >= first && day <= last) return { hour, minute, day };
      throw wrong(`schedule_config.day: ${first}–${last}`);
  }
}

type Content = Pick<RecurringRow, 'message' | 'media_r2_key' | 'message_type' | 'parts'>;

/** What is sent: a text, or a file with a caption. Refuses VALIDATION_FAILED when there is neither, or the caption is too long. */
export function recurringContent(message: string | null, media: MediaRow | null): Content {
  if (!media && message === null) throw wrong({ en: 'message or media_r2_key is required', id: 'message atau media_r2_key wajib diisi' });
  if (!media) return { message, media_r2_key: null, message_type: 'text', parts: {} };
  if ((message?.length ?? 0) > LONGEST_CAPTION) throw wrong({ en: 'a caption is too long', id: 'keterangan terlalu panjang' });
  const { _id: media_r2_key, content_type, filename, size, sha256 } = media;
  return { message, media_r2_key, message_type: typeOf(content_type), parts: { media: { content_type, filename, size, sha256 } } };
}

const SHOWN = ['image', 'video', 'audio'] as const;

/** A file is sent as what it is, and as a document where that has no type of its own. */
const typeOf = (contentType: string): MessageType => SHOWN.find((type) => fits(type, contentType)) ?? 'document';

/** When it runs next, for a row whose schedule or state changed; an interval counts anew only where `isAnew`. */
export function rescheduled(row: RecurringRow, isAnew: boolean, now: number): RecurringPatch {
  const since = isAnew ? now : row.since;
  return { since, next_run_at: row.is_active ? nextRunOf({ ...row, since }, now) : null };
}

const wrong = (reason: string | { readonly en: string; readonly id: string }) => refusal('VALIDATION_FAILED', { reason });
