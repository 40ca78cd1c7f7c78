/**
 * What the cells of a row say about consent. A refusal counts wherever it stands: a list that opts somebody out is believed. An agreement counts
 * only in a column about agreeing (`opt_in`), or as `opted_in` in a column of statuses (`consent`, of our own export): "subscribed" in the
 * status column of a mailing list says nothing about messages.
 */
export interface ConsentSaid {
  readonly isRefused: boolean;
  /** Null where no cell says it: what holds for the whole file holds for the row. */
  readonly isAgreed: boolean | null;
  /** Columns with a text that is neither yes nor no. */
  readonly unclear: readonly ('opt_in' | 'opt_out')[];
}

/** `all` gives the texts of all columns of a field. */
export function consentIn(all: (field: 'opt_in' | 'opt_out' | 'consent') => readonly string[]): ConsentSaid {
  const [agreed, refused, statuses] = [all('opt_in').map(word), all('opt_out').map(word), all('consent').map(word)];
  const isRefused = [...agreed, ...refused, ...statuses].some((said) => REFUSED.has(said)) || refused.some(isYesOrTime);
  const isClear = (said: string): boolean => NO.has(said) || REFUSED.has(said);
  const unclear = [
    ...(agreed.every((said) => YES.has(said) || isClear(said)) ? [] : (['opt_in'] as const)),
    ...(refused.every((said) => isYesOrTime(said) || isClear(said)) ? [] : (['opt_out'] as const)),
  ];
  const isAgreed = agreed.length > 0 ? agreed.every((said) => YES.has(said)) : statuses.some((said) => AGREED.has(said)) || null;
  return { isRefused, isAgreed, unclear };
}

/** Programs write when somebody left the list. */
const isYesOrTime = (said: string): boolean => YES.has(said) || TIME.test(said);

/** A date, or seconds or milliseconds since 1970; separators are spaces by now. */
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
const REFUSED = words(
  'opted out|opt out|optout|optedout|unsubscribed|unsubscribe|unsub|refused|declined|withdrawn|revoked|stop|stopped|do not contact|dnc|blacklisted|' +
    'blocklisted|complained|berhenti|berhenti berlangganan|berhenti langganan|menolak|ditolak|tolak|jangan hubungi|baja|dado de baja|dada de baja|' +
    'desuscrito|desuscrita|cancelado|rechazado|descadastrado|descadastrada|cancelou|recusado|recusou|désabonné|désabonnée|désinscrit|désinscrite|refusé|' +
    'abgemeldet|abbestellt|abgelehnt|ألغى الاشتراك|إلغاء الاشتراك|رفض|सदस्यता समाप्त|अनसब्सक्राइब',
);
