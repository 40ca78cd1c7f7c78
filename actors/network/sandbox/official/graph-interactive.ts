import { memberOf } from '../../../../runtime/shapes.ts';

const textIn = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};
const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
};
const isWithin = (text: string, most: number): boolean => text.length > 0 && text.length <= most;

export function isInteractive(given: unknown): boolean {
  const type = textIn(given, 'type');
  const action = memberOf(given, 'action');
  const body = textIn(memberOf(given, 'body'), 'text');
  if (type !== 'product' && !isWithin(body, type === 'list' ? 4_096 : 1_024)) return false;
  if (textIn(memberOf(given, 'footer'), 'text').length > 60) return false;
  switch (type) {
    case 'button': {
      const buttons = listIn(action, 'buttons');
      const replies = buttons.map((button) => memberOf(button, 'reply'));
      const areFine = replies.every((reply) => isWithin(textIn(reply, 'id'), 256) && isWithin(textIn(reply, 'title'), 20));
      return buttons.length >= 1 && buttons.length <= 3 && areFine && areDifferent(replies);
    }
    case 'list': {
      const sections = listIn(action, 'sections');
      const rows = sections.flatMap((section) => listIn(section, 'rows'));
      const areFine = rows.every((row) => isWithin(textIn(row, 'id'), 200) && isWithin(textIn(row, 'title'), 24));
      const areTitled = sections.length === 1 || sections.every((section) => isWithin(textIn(section, 'title'), 24));
      return isWithin(textIn(action, 'button'), 20) && rows.length >= 1 && rows.length <= 10 && areFine && areTitled && areDifferent(rows);
    }
    case 'product':
      return textIn(action, 'catalog_id') !== '' && textIn(action, 'product_retailer_id') !== '';
    case 'product_list':
      return textIn(action, 'catalog_id') !== '' && listIn(action, 'sections').length > 0;
    case 'location_request_message':
      return textIn(action, 'name') === 'send_location';
    case 'cta_url':
    case 'flow':
    case 'catalog_message':
      return textIn(action, 'name') === type;
    default:
      return false;
  }
}

const areDifferent = (entries: readonly unknown[]): boolean => new Set(entries.map((one) => textIn(one, 'id'))).size === entries.length;
