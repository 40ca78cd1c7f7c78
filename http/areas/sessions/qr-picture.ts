import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { Raw } from '../../core/row.ts';

export type QrFormat = 'png' | 'svg' | 'text';

export interface QrQuery {
  readonly format?: QrFormat;
}

export const QrQuerySchema = Joi.object<QrQuery>({
  format: Joi.string()
    .valid('png', 'svg', 'text')
    .description('A picture instead of JSON. `text` draws it with block characters, for a terminal with a dark background')
    .example('png'),
});

export const QR_TYPES = ['application/json', 'image/png', 'image/svg+xml', 'text/plain'];

export function shownCode({ qr }: Pick<DeviceRow, 'qr'>, now: number): { readonly code: string; readonly expires_at: number } {
  if (!qr || qr.expires_at <= now) throw refusal('CONFLICT', { reason: { en: 'there is no code yet', id: 'belum ada kode' } });
  return qr;
}

/** The query parameter `format` overrides the `Accept` header. */
export function pictureFormat({ format }: QrQuery, accept = ''): QrFormat | null {
  if (format !== undefined) return format;
  if (accept.includes('image/png')) return 'png';
  return accept.includes('image/svg+xml') ? 'svg' : null;
}

/** The library is loaded on first use, because most callers draw the code themselves. */
export async function drawnQr(code: string, format: QrFormat): Promise<Raw> {
  const { toBuffer, toString: toText } = await import('qrcode');
  switch (format) {
    case 'png':
      return new Raw(await toBuffer(code), 'image/png');
    case 'svg':
      return new Raw(await toText(code, { type: 'svg' }), 'image/svg+xml');
    case 'text':
      return new Raw(inverted(await toText(code, { type: 'utf8' })), 'text/plain; charset=utf-8');
  }
}

/** Terminals print light text on a dark background, so this draws the light modules. */
const INVERSE: Readonly<Record<string, string>> = { ' ': '█', '█': ' ', '▀': '▄', '▄': '▀' };

const inverted = (drawing: string): string => drawing.replace(/[ █▀▄]/g, (block) => INVERSE[block] ?? block);
