import type { ContentKind } from '../../store/messaging/content-kinds.ts';

export const KIND_LABELS: Readonly<Record<ContentKind, string>> = {
  order: 'Order',
  product: 'Product',
  product_question: 'Question about a product',
  button_answer: 'Tapped a button',
  list_answer: 'Chose from a list',
  template: 'Template',
  interactive: 'Message with buttons',
  event: 'Event',
  group_invite: 'Group invitation',
  channel_invite: 'Channel invitation',
  view_once: 'View-once message: open it on your phone',
  payment: 'Payment',
  comment: 'Comment',
  call_link: 'Scheduled call',
  sticker_pack: 'Sticker pack',
  system: 'Notice',
  unsupported: 'Unsupported message: open it on your phone',
};

const TEXTS = ['message', 'text', 'title', 'body', 'caption', 'name', 'note', 'id'];

export function textOfKind(kind: ContentKind, content: Readonly<Record<string, unknown>>): string {
  const found = TEXTS.map((name) => content[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' && kind !== 'view_once' && kind !== 'unsupported' ? found : KIND_LABELS[kind];
}
