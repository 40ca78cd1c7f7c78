import { REFUSALS } from '../../../actors/domain/refusals.ts';
import { type FileWarning, PREVIEW_UNAVAILABLE } from '../../../actors/services/media/file-warnings.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Lang } from '../../core/row.ts';

export interface Warning {
  readonly code: string;
  readonly message: string;
}

const IGNORED: Readonly<Record<Lang, (field: string) => string>> = {
  en: (field) => `${field} has no effect on this type of message`,
  id: (field) => `${field} tidak berpengaruh pada tipe pesan ini`,
};

/** `ignored`: fields that do not apply to the message type. */
export function warningsOf(
  isOptedOut: boolean,
  lang: Lang,
  ignored: readonly string[] = [],
  files: readonly FileWarning[] = [],
): { readonly warnings?: readonly Warning[] } {
  const optedOut = isOptedOut ? [{ code: 'RECIPIENT_OPTED_OUT', message: REFUSALS.RECIPIENT_OPTED_OUT[lang] }] : [];
  const warnings = [
    ...optedOut,
    ...ignored.map((field) => ({ code: 'FIELD_IGNORED', message: IGNORED[lang](field) })),
    ...files.map((warning) => ({ code: warning.code, message: warning[lang] })),
  ];
  return warnings.length > 0 ? { warnings } : {};
}

export const warningsOfPreview = ({ parts }: Pick<MessageRow, 'parts'>, lang: Lang): { readonly warnings?: readonly Warning[] } =>
  parts.preview?.failed ? { warnings: [{ code: PREVIEW_UNAVAILABLE.code, message: PREVIEW_UNAVAILABLE[lang] }] } : {};
