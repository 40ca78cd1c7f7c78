import Joi from 'joi';
import type { Sender } from '../../../actors/services/accounts/platform-sender.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { drawnQr, pictureFormat, QR_TYPES, QrQuerySchema, shownCode } from '../sessions/qr-picture.ts';

export interface SenderServices {
  readonly sender: Sender;
}

const row = rowsFor<SenderServices>();

const SenderSchema = Joi.object({
  status: Joi.string().required(),
  phone: Joi.string().allow(null).required(),
  qr: Joi.string().allow(null).required(),
  expires_at: Joi.number().integer().allow(null).required(),
});

export const senderArea: Area<SenderServices> = {
  name: 'sender',
  about: "The platform's own device, which sends one-time codes",
  rows: [
    row({
      id: 'getSender',
      method: 'GET',
      path: '/v1/admin/sender',
      summary: "Get the platform's sender",
      about: "Get the state of the platform's sender, with the QR code while it is being linked",
      access: 'operator',
      status: 200,
      returns: SenderSchema,
      run: async ({ sender }, { now }) => toSender(await sender.find(), now),
    }),
    row({
      id: 'connectSender',
      method: 'POST',
      path: '/v1/admin/sender/connect',
      summary: "Connect the platform's sender",
      about: "Start linking or reconnecting the platform's sender",
      audit: { action: 'sender.connect' },
      access: 'operator',
      status: 202,
      returns: SenderSchema,
      refuses: ['DEVICE_TIMEOUT', 'OVERLOADED'],
      async run({ sender }, { now }) {
        await sender.device(await sender.find()).ask({ type: 'connect' });
        return toSender(await sender.find(), now);
      },
    }),
    row({
      id: 'getSenderQr',
      method: 'GET',
      path: '/v1/admin/sender/qr',
      summary: "Get the sender's QR code",
      about: "Get the QR code that links the platform's sender; with `format` or `Accept: image/png`, as a picture",
      access: 'operator',
      query: QrQuerySchema,
      headers: ['accept'],
      status: 200,
      produces: QR_TYPES,
      returns: Joi.object({ qr: Joi.string().required(), expires_at: Joi.number().integer().required() }),
      refuses: ['CONFLICT'],
      async run({ sender }, { query, header, now }) {
        const { code: qr, expires_at } = shownCode(await sender.find(), now);
        const format = pictureFormat(query, header('accept'));
        return format ? drawnQr(qr, format) : { qr, expires_at };
      },
    }),
  ],
};

function toSender({ status, phone_number, qr }: DeviceRow, now: number) {
  const shown = qr && qr.expires_at > now ? qr : null;
  return { status, phone: phone_number, qr: shown?.code ?? null, expires_at: shown?.expires_at ?? null };
}
