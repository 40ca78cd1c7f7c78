/**
 * Reads consent from the cells of a row. A refusal is accepted in any column, because a list that
 * opts a person out is trusted. An agreement must be in an `opt_in` column, or be `opted_in` in the
 * `consent` column of our own export. "Subscribed" in the list of a mailing program is not enough,
 * because it does not concern messages.
 */

export interface ConsentSaid {
  readonly isRefused: boolean;
  /** Whether the person agreed. Null if the cells do not say; the file's setting then applies. */
  readonly isAgreed: boolean | null;
  readonly unclear: readonly ('opt_in' | 'opt_out')[];
}

export const saysRefused = (text: string): boolean => text.length <= LONGEST_WORD && PLAINLY_REFUSED.has(word(text));

export function consentIn(all: (field: 'opt_in' | 'opt_out' | 'consent') => readonly string[], texts: readonly string[]): ConsentSaid {
  const [agreed, refused, statuses] = [all('opt_in').map(word), all('opt_out').map(word), all('consent').map(word)];
  const isRefused =
    [...agreed, ...refused, ...statuses].some((said) => REFUSED.has(said)) || refused.some(isYesOrTime) || texts.some(saysRefused);
  const isClear = (said: string): boolean => NO.has(said) || REFUSED.has(said);
  const unclear = [
    ...(agreed.every((said) => YES.has(said) || isClear(said)) ? [] : (['opt_in'] as const)),
    ...(refused.every((said) => isYesOrTime(said) || isClear(said)) ? [] : (['opt_out'] as const)),
  ];
  const isAgreed = agreed.length > 0 ? agreed.every((said) => YES.has(said)) : statuses.some((said) => AGREED.has(said)) || null;
  return { isRefused, isAgreed, unclear };
}

/** A time counts as yes, because some programs record when a person left the list. */
const isYesOrTime = (said: string): boolean => YES.has(said) || TIME.test(said);

/** A date, or the seconds or milliseconds since 1970, with spaces in place of separators. */
const TIME = /^(?:\d{4}[ /.]\d{1,2}[ /.]\d{1,2}|\d{1,2}[ /.]\d{1,2}[ /.]\d{4}|\d{10}|\d{13})\b/;

const word = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim() || '-';

const words = (list: string): ReadonlySet<string> => new Set(list.split('|'));

const YES = words(
  'yes|y|true|1|x|✓|✔|☑|on|ok|ya|iya|yep|setuju|bersedia|opted in|opt in|subscribed|active|agreed|granted|accepted|' +
    'sí|si|s|sim|oui|o|ja|j|نعم|हाँ|हां|haan|verdadero|verdadeiro|vrai|wahr|benar',
);
const NO = words(
  'no|n|false|0|-|off|tidak|tdk|nggak|gak|belum|not subscribed|never subscribed|non subscribed|nonsubscribed|pending|none|n/a|na|null|never|unknown|' +
    'não|nao|non|nein|لا|नहीं|nahi|falso|faux|falsch|salah',
);
const AGREED = words('opted in|opt in|optin');
/** Texts that count as a refusal in any column, whatever its header. */
const PLAIN_REFUSALS =
  'opted out|opt out|optout|optedout|unsubscribed|unsub|do not contact|dnc|blacklisted|blocklisted|berhenti berlangganan|berhenti langganan|jangan hubungi|' +
  'dado de baja|dada de baja|desuscrito|desuscrita|descadastrado|descadastrada|désabonné|désabonnée|désinscrit|désinscrite|abgemeldet|' +
  'ألغى الاشتراك|إلغاء الاشتراك|ملغي الاشتراك|ملغى الاشتراك|सदस्यता समाप्त|अनसब्सक्राइब|disiscritto|disiscritta|uitgeschreven|afgemeld|abonelikten çıktı|abonelikten ayrıldı|' +
  'wypisany|wypisana|отписан|отписана|отписался|отписалась|hủy đăng ký|đã hủy đăng ký|ยกเลิกการสมัคร|退订|已退订|取消订阅|已取消订阅|退訂|已退訂|配信停止|登録解除|購読解除|수신거부|수신 거부|구독취소|구독 취소';
const PLAINLY_REFUSED = words(PLAIN_REFUSALS);
const LONGEST_WORD = Math.max(...[...PLAINLY_REFUSED].map(({ length }) => length)) + 4;
const REFUSED = words(
  `${PLAIN_REFUSALS}|unsubscribe|refused|declined|withdrawn|revoked|stop|stopped|complained|berhenti|menolak|ditolak|tolak|baja|cancelado|rechazado|` +
    'cancelou|recusado|recusou|refusé|abbestellt|abgelehnt|رفض',
);
