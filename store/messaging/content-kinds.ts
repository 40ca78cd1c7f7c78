/**
 * What the network has beyond the types of messages: an order, a button that somebody tapped, a payment. Such a message keeps its type (`text`
 * where it has no file) and a readable text, and says what it is by its `kind`, with its fields in `content`. The fields are what the writer's
 * phone claims; nothing of them is checked.
 */
export const CONTENT_KINDS = [
  ...(['order', 'product', 'product_question', 'button_answer', 'list_answer', 'template', 'interactive', 'event'] as const),
  ...(['group_invite', 'channel_invite', 'view_once', 'payment', 'comment', 'call_link', 'sticker_pack', 'system', 'unsupported'] as const),
] as const;

export type ContentKind = (typeof CONTENT_KINDS)[number];

export type ContentValue = string | number | boolean | null | readonly ContentValue[] | { readonly [name: string]: ContentValue };
export type ContentFields = { readonly [name: string]: ContentValue };

/** One card among those of a message. */
export interface ContactCard {
  readonly name: string;
  /** Digits. */
  readonly phones: readonly string[];
}

/** What is known of a place beside where it is. */
export interface PlaceFacts {
  readonly name: string | null;
  readonly address: string | null;
  readonly url: string | null;
}

/** The advertisement from which somebody began to write. */
export interface AdFacts {
  readonly title: string | null;
  readonly body: string | null;
  readonly source_url: string | null;
  readonly source_id: string | null;
  /** The network's id of the click. */
  readonly ctwa: string | null;
}

/** What stands beside the content of a message. Absent: nothing. */
export interface ContentExtras {
  readonly kind?: ContentKind;
  /** The fields of its kind (`ContentFields`), at most 16 KB. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** Where a message has several cards: all of them. */
  readonly contacts?: readonly ContactCard[];
  readonly place?: PlaceFacts;
  readonly ad?: AdFacts;
  readonly forwarded?: true;
  /** The network id of the album that it belongs to, as its writer says. */
  readonly album?: { readonly net_id: string };
  /** Seconds after which it disappears from phones. */
  readonly ephemeral?: number;
}

/** Kinds that are a person's own words: consent words, rules and AI replies read them as they read a text. */
const SPOKEN: ReadonlySet<ContentKind> = new Set<ContentKind>(['button_answer', 'list_answer', 'product_question']);

/** Whether the text of a message is its writer's own. */
export const isSpoken = ({ parts: { kind } }: { readonly parts: Pick<ContentExtras, 'kind'> }): boolean =>
  kind === undefined || SPOKEN.has(kind);

const MAX_BYTES = 16_384;
/** Of texts, and of lists: the first bound under which the fields fit is taken. */
const BOUNDS = [
  [4_000, 100],
  [1_000, 50],
  [200, 20],
  [40, 10],
] as const;
const MAX_DEPTH = 6;

/** Fields within their bound: texts are cut, and long lists end, as far as it takes. */
export function boundedFields(fields: Readonly<Record<string, unknown>>): ContentFields {
  for (const [text, items] of BOUNDS) {
    const bounded = Object.fromEntries(
      Object.entries(fields)
        .slice(0, items)
        .map(([name, value]) => [name, within(value, text, items, 1)]),
    );
    if (Buffer.byteLength(JSON.stringify(bounded)) <= MAX_BYTES) return bounded;
  }
  return {};
}

/** What is no JSON is null. */
function within(value: unknown, text: number, items: number, depth: number): ContentValue {
  if (typeof value === 'string') return value.slice(0, text).toWellFormed();
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, items).map((one) => within(one, text, items, depth + 1));
  const entries = Object.entries(value).slice(0, items);
  return Object.fromEntries(entries.map(([name, one]) => [name.slice(0, 64), within(one, text, items, depth + 1)]));
}
