import { createHmac } from 'node:crypto';
import type { Receiver } from './receiver.ts';

const UPDATES = 1_000;

export const signatureOf = (secret: string, body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export function hookOf({ phoneNumberId, wabaId }: Pick<Receiver, 'phoneNumberId' | 'wabaId'>, serial: number, now: number): string {
  const timestamp = String(Math.floor(now / 1_000));
  const each = <T>(make: (id: string, person: string) => T): readonly T[] =>
    Array.from({ length: UPDATES / 2 }, (_, nth) => make(`${serial}.${nth}`, `6281${String(nth).padStart(8, '0')}`));
  const messages = each((id, from) => ({ from, id: `wamid.${id}`, timestamp, type: 'text', text: { body: `Message ${id}` } }));
  const statuses = each((id, person) => ({ id: `wamid.sent.${id}`, status: 'delivered', timestamp, recipient_id: person }));
  const metadata = { display_phone_number: '1', phone_number_id: phoneNumberId };
  const value = { messaging_product: 'whatsapp', metadata, messages, statuses };
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: wabaId, changes: [{ field: 'messages', value }] }] });
}
