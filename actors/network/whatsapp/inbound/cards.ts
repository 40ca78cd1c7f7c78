import { cut } from '../../../domain/cut.ts';
import type { proto } from '../library.ts';

export interface Card {
  readonly name: string;
  /** The first number that is on the network, or simply the first number if none is. */
  readonly phone: string;
  readonly phones: readonly string[];
}

const MAX_CARDS = 100;
const MAX_PHONES = 20;
const MAX_CARD = 65_536;
const MAX_NAME = 200;
const WHATSAPP_ID = /waid=(\d{5,20})/;
/** Lengths are limited, because a line with many parameters, but no number, would take quadratic time. */
const NUMBERS = /^(?:item\d{1,3}\.)?TEL([^:\r\n]{0,200}):([^\r\n]{1,64})/gim;
const FULL_NAME = /^FN[^:\r\n]{0,80}:([^\r\n]{1,400})/im;
const NAME = /^N[^:\r\n]{0,80}:([^\r\n]{1,400})/im;

export function cardsOf(messages: readonly proto.Message.IContactMessage[]): readonly Card[] {
  return messages.slice(0, MAX_CARDS).map(({ displayName, vcard }) => {
    const card = (vcard ?? '').slice(0, MAX_CARD);
    const lines = [...card.matchAll(NUMBERS)].slice(0, MAX_PHONES);
    const numbers = lines.map(([, facts = '', number = '']) => WHATSAPP_ID.exec(facts)?.[1] ?? number.replace(/\D/g, ''));
    const onNetwork = WHATSAPP_ID.exec(card)?.[1];
    const phones = [...new Set([...numbers, ...(onNetwork ? [onNetwork] : [])])].filter((number) => number !== '');
    const phone = onNetwork ?? phones[0] ?? '';
    const name = displayName || FULL_NAME.exec(card)?.[1]?.trim() || named(NAME.exec(card)?.[1]) || phone;
    return { name: cut(name, MAX_NAME), phone, phones };
  });
}

function named(parts: string | undefined): string {
  const [family = '', given = '', middle = ''] = (parts ?? '').split(';').map((part) => part.trim());
  return [given, middle, family].filter(Boolean).join(' ');
}
