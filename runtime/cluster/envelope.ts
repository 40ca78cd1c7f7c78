import { Refusal, type RuntimeCode } from '../errors.ts';

/** What travels between nodes, as JSON. `n` numbers the questions of the asking node's boot, which has a channel of its own for answers. */
export type Envelope =
  | { readonly t: 'ask'; readonly n: number; readonly from: string; readonly back: string; readonly body: unknown }
  | { readonly t: 'tell'; readonly from: string; readonly body: unknown }
  | { readonly t: 'cast'; readonly from: string; readonly back: string; readonly body: unknown }
  | { readonly t: 'answer'; readonly n: number; readonly body: unknown }
  | { readonly t: 'refusal'; readonly n: number; readonly code: string; readonly details: Readonly<Record<string, unknown>> };

/** In UTF-16 units of JSON text. */
const LONGEST_TEXT = 2 ** 20;

type WireCode = RuntimeCode | 'PAYLOAD_TOO_LARGE' | 'INTERNAL';

export const wireRefusal = (code: WireCode, details?: Readonly<Record<string, unknown>>): Refusal => new Refusal(code, details);

/** Throws Refusal PAYLOAD_TOO_LARGE. */
export function seal(envelope: Envelope): string {
  const text = JSON.stringify(envelope);
  if (text.length > LONGEST_TEXT) throw wireRefusal('PAYLOAD_TOO_LARGE');
  return text;
}

/** Null: not one of ours. The nodes of a cluster trust each other, so this looks only as far as a mistake would reach. */
export function unseal(text: string): Envelope | null {
  if (text.length > LONGEST_TEXT) return null;
  try {
    const envelope: Envelope = JSON.parse(text);
    return typeof envelope?.t === 'string' ? envelope : null;
  } catch {
    return null;
  }
}
