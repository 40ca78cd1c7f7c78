import { isCallAct } from './call-acts.ts';
import { isGestureAct } from './gesture-acts.ts';
import { isMarkAct } from './marked-chats.ts';
import { isPersonAct } from './person-acts.ts';
import type { PhoneHandle } from './sandbox.ts';

export const digitsOf = (text: string): string => text.replace(/^\+/, '');

export type AnyAct = Parameters<PhoneHandle['act']>[0];

export function plainNumbers(order: AnyAct): AnyAct {
  if ('participants' in order) return { ...order, participants: order.participants.map(digitsOf) };
  if (isCallAct(order)) return 'to' in order ? { ...order, to: digitsOf(order.to) } : order;
  if (isGestureAct(order)) return order.act === 'typing' ? { ...order, to: addressOf(order.to) } : order;
  if (isMarkAct(order)) return { ...order, chat: addressOf(order.chat) };
  if (!isPersonAct(order)) return order;
  return { ...order, to: digitsOf(order.to), ...(order.recipients && { recipients: order.recipients.map(digitsOf) }) };
}

export const addressOf = (to: string): string => (to.includes('@') ? to : digitsOf(to));
