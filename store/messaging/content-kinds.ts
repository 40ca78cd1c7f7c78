/** Kinds of content beyond the message types. `content` holds the sender's unverified data. */
export const CONTENT_KINDS = [
  ...(['order', 'product', 'product_question', 'button_answer', 'list_answer', 'template', 'interactive', 'event'] as const),
  ...(['group_invite', 'channel_invite', 'view_once', 'payment', 'comment', 'call_link', 'sticker_pack', 'system', 'unsupported'] as const),
] as const;

export type ContentKind = (typeof CONTENT_KINDS)[number];

export type ContentValue = string | number | boolean | null | readonly ContentValue[] | { readonly [name: string]: ContentValue };
export type ContentFields = { readonly [name: string]: ContentValue };

export interface ContactCard {
  readonly name: string;
  readonly phones: readonly string[];
}

export interface PlaceFacts {
  readonly name: string | null;
  readonly address: string | null;
  readonly url: string | null;
}

export interface AdFacts {
  readonly title: string | null;
  readonly body: string | null;
  readonly source_url: string | null;
  readonly source_id: string | null;
  readonly ctwa: string | null;
}

export interface ContentExtras {
  readonly kind?: ContentKind;
  /** The fields for `kind` (`ContentFields`), at most 16 KB in total. */
  readonly content?: Readonly<Record<string, unknown>>;
  readonly contacts?: readonly ContactCard[];
  readonly place?: PlaceFacts;
  readonly ad?: AdFacts;
  readonly forwarded?: true;
  readonly album?: { readonly net_id: string };
  readonly ephemeral?: number;
}

/** Kinds whose text a person wrote or chose. Keywords, rules and AI replies react to them. */
const SPOKEN: ReadonlySet<ContentKind> = new Set<ContentKind>(['button_answer', 'list_answer', 'product_question']);

export const isSpoken = ({ parts: { kind } }: { readonly parts: Pick<ContentExtras, 'kind'> }): boolean =>
  kind === undefined || SPOKEN.has(kind);

const MAX_BYTES = 16_384;
/** Limits on the lengths of texts and lists. The first pair that makes the fields fit is used. */
const BOUNDS = [
  [4_000, 100],
  [1_000, 50],
  [200, 20],
  [40, 10],
] as const;
const MAX_DEPTH = 6;

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

/** Replaces values that JSON cannot represent with null. */
function within(value: unknown, text: number, items: number, depth: number): ContentValue {
  if (typeof value === 'string') return value.slice(0, text).toWellFormed();
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, items).map((one) => within(one, text, items, depth + 1));
  const entries = Object.entries(value).slice(0, items);
  return Object.fromEntries(entries.map(([name, one]) => [name.slice(0, 64), within(one, text, items, depth + 1)]));
}
