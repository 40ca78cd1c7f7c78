import { Refusal, type RuntimeCode } from '../errors.ts';
import { isRecord } from '../shapes.ts';

/**
 * `n` numbers the requests of one process. Responses arrive on that process's own channel (`back`).
 */
export type Envelope =
  | { readonly t: 'ask'; readonly n: number; readonly from: string; readonly back: string; readonly body: unknown }
  | { readonly t: 'tell'; readonly from: string; readonly body: unknown }
  | { readonly t: 'cast'; readonly from: string; readonly back: string; readonly body: unknown }
  | { readonly t: 'answer'; readonly n: number; readonly body: unknown }
  | { readonly t: 'refusal'; readonly n: number; readonly code: string; readonly details: Readonly<Record<string, unknown>> };

/** Maximum length of the JSON text in UTF-16 code units. */
const LONGEST_TEXT = 2 ** 20;

/** Largest file in bytes that fits as base64 and leaves 48,000 code units for the rest. */
export const MOST_BYTES = 750_000;

type WireCode = RuntimeCode | 'PAYLOAD_TOO_LARGE' | 'INTERNAL';

export const wireRefusal = (code: WireCode, details?: Readonly<Record<string, unknown>>): Refusal => new Refusal(code, details);

export function seal(envelope: Envelope): string {
  const text = JSON.stringify(envelope);
  if (text.length > LONGEST_TEXT) throw wireRefusal('PAYLOAD_TOO_LARGE');
  return text;
}

/** The sender has already been authenticated (`sealed.ts`). */
export function unseal(text: string): Envelope | null {
  if (text.length > LONGEST_TEXT) return null;
  try {
    const envelope: unknown = JSON.parse(text);
    return isEnvelope(envelope) ? envelope : null;
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const SHAPES: Readonly<Record<Envelope['t'], (fields: Fields) => boolean>> = {
  ask: ({ n, from, back }) => typeof n === 'number' && typeof from === 'string' && typeof back === 'string',
  tell: ({ from }) => typeof from === 'string',
  cast: ({ from, back }) => typeof from === 'string' && typeof back === 'string',
  answer: ({ n }) => typeof n === 'number',
  refusal: ({ n, code, details }) => typeof n === 'number' && typeof code === 'string' && isRecord(details),
};

const SHAPE_OF: ReadonlyMap<unknown, (fields: Fields) => boolean> = new Map(Object.entries(SHAPES));

function isEnvelope(value: unknown): value is Envelope {
  return isRecord(value) && SHAPE_OF.get(value['t'])?.(value) === true;
}
