import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';

export type Recipient = Schemas['RecipientInput'];

/** `number,name` a line; empty lines are none, and the second line of a number neither. */
export function recipientsIn(text: string): readonly Recipient[] {
  const byNumber = new Map<string, Recipient>();
  for (const line of text.split('\n')) {
    const [number = '', ...rest] = line.split(/[,;\t]/);
    const [phone, name] = [number.trim(), rest.join(',').trim()];
    // In another script the text itself stands for its number.
    const key = phone.replace(/\D/g, '') || phone;
    if (phone !== '' && !byNumber.has(key)) byNumber.set(key, { phone, ...(name !== '' && { name }) });
  }
  return [...byNumber.values()];
}
