import Joi from 'joi';
import type { Sender } from '../../actors/sender.ts';
import type { DeviceRow } from '../../store/devices.ts';
import { type Area, rowsFor } from '../row.ts';

export interface SenderWorld {
  readonly sender: Sender;
}

const row = rowsFor<SenderWorld>();

const SenderSchema = Joi.object({
  status: Joi.string().required(),
  phone: Joi.string().allow(null).required(),
  qr: Joi.string().allow(null).required(),
  expires_at: Joi.number().integer().allow(null).required(),
});

/** api.md "Operator": the platform's own device, which sends one-time codes. */
export const senderArea: Area<SenderWorld> = {
  name: 'sender',
  about: "The platform's own device, which sends one-time codes",
  rows: [
    row({
      id: 'getSender',
      method: 'GET',
      path: '/v1/admin/sender',
      summary: "The state of the platform's sender, with the code to scan while it is being linked",
      access: 'operator',
      status: 200,
      returns: SenderSchema,
      run: async ({ sender }, { now }) => toSender(await sender.find(), now),
    }),
    row({
      id: 'connectSender',
      method: 'POST',
      path: '/v1/admin/sender/connect',
      summary: "Start linking or reconnecting the platform's sender",
      access: 'operator',
      status: 202,
      returns: SenderSchema,
      refuses: ['DEVICE_TIMEOUT', 'OVERLOADED'],
      async run({ sender }, { now }) {
        await sender.device(await sender.find()).ask({ type: 'connect' });
        return toSender(await sender.find(), now);
      },
    }),
  ],
};

function toSender({ status, phone_number, qr }: DeviceRow, now: number) {
  const shown = qr && qr.expires_at > now ? qr : null;
  return { status, phone: phone_number, qr: shown?.code ?? null, expires_at: shown?.expires_at ?? null };
}
