import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';

export type Recipient = Schemas['RecipientInput'];

export function recipientsIn(text: string): readonly Recipient[] {
  const byNumber = new Map<string, Recipient>();
  for (const line of text.split('\n')) {
    const [number = '', ...rest] = line.split(/[,;\t]/);
    const [phone, name] = [number.trim(), rest.join(',').trim()];
    // A number in another script has no ASCII digits, so the text itself is used as the key.
    const key = phone.replace(/\D/g, '') || phone;
    if (phone !== '' && !byNumber.has(key)) byNumber.set(key, { phone, ...(name !== '' && { name }) });
  }
  return [...byNumber.values()];
}
