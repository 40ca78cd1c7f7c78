import {
  faultsOfInteractive,
  type Interactive,
  type InteractiveFault,
  shownInteractive,
} from '../../../actors/domain/official-interactive.ts';
import { invalidField } from '../../../actors/domain/refusals.ts';
import type { Filled } from '../../../actors/services/contacts/templates.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageParts, MessageType } from '../../../store/messaging/messages.ts';
import type { SendBody } from './schemas.ts';

/**
 * Interactive messages from an official number. The vendor's own object replaces `body` or
 * `caption`.
 */

const TYPES: readonly (MessageType | undefined)[] = ['text', 'image', 'video', 'document'];

export function interactiveFaults({ type, interactive, ...body }: Partial<SendBody>): readonly InteractiveFault[] {
  if (interactive === undefined) return [];
  if (body.body !== undefined || body.caption !== undefined || body.template_id !== undefined) return [IN_PLACE];
  const isHeaded = type !== 'text' && (interactive.header !== undefined || interactive.type !== 'button');
  return !TYPES.includes(type) || isHeaded ? [FILE_OF_BUTTONS] : faultsOfInteractive(interactive);
}

export type FilledBody = SendBody & Pick<Filled, 'unfilled' | 'official'>;

export function withInteractive({ interactive, ...body }: SendBody, { official }: DeviceRow): FilledBody {
  if (interactive === undefined) return body;
  if (!official) throw invalidField('interactive', NOT_OFFERED);
  const text = interactive.body?.text ?? '';
  const shown = body.type === 'text' ? { body: text, link_preview: false } : { caption: text };
  return { ...body, ...shown, official: { interactive: { ...interactive } } };
}

export function officialParts({ official }: FilledBody, interactive: Interactive | undefined): MessageParts {
  return { ...(official && { official }), ...(interactive && { kind: 'interactive', content: shownInteractive(interactive) }) };
}

const NOT_OFFERED = {
  en: 'a linked phone cannot send buttons: write the choices as text',
  id: 'ponsel tertaut tidak dapat mengirim tombol: tulis pilihannya sebagai teks',
};
const IN_PLACE: InteractiveFault = {
  path: 'interactive',
  en: 'interactive cannot be sent together with body, caption or template_id',
  id: 'interactive tidak dapat dikirim bersama body, caption, atau template_id',
};
const FILE_OF_BUTTONS: InteractiveFault = {
  path: 'type',
  en: 'type must be text; with reply buttons and no header, it can also be image, video or document',
  id: 'type harus text; dengan tombol balasan tanpa header, boleh juga image, video, atau document',
};
