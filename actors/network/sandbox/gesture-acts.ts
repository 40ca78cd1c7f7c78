import type { GivenReceipts } from './given-receipts.ts';
import type { Phone } from './phones.ts';

/** What a person does on their phone about a message or a chat, and of which nothing stays in the chat. */
export type GestureAct = { readonly act: 'play'; readonly message_id: string };

export const GESTURE_ACTS = ['play'] as const satisfies readonly GestureAct['act'][];

export const isGestureAct = (order: { readonly act: string }): order is GestureAct => GESTURE_ACTS.some((act) => act === order.act);

/** Refuses 404 and 409 as its parts do. */
export function gesture(parts: { readonly receipts: GivenReceipts }, phone: Phone, order: GestureAct): void {
  parts.receipts.play(phone, order.message_id);
}
