import type { Presence } from '../port.ts';
import type { MessageRouting } from './message-routing.ts';
import type { Phone } from './phones.ts';

export type GestureAct =
  | { readonly act: 'play'; readonly message_id: string }
  | { readonly act: 'typing'; readonly to: string; readonly state?: Presence };

export const GESTURE_ACTS = ['play', 'typing'] as const satisfies readonly GestureAct['act'][];

export const isGestureAct = (order: { readonly act: string }): order is GestureAct => GESTURE_ACTS.some((act) => act === order.act);

export function gesture(post: MessageRouting, phone: Phone, order: GestureAct): void {
  if (order.act === 'play') post.receipts.play(phone, order.message_id);
  else post.types(phone, order.to, order.state ?? 'composing');
}
