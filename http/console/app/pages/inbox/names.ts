export const phoneOf = (chatId: string): string | null => /^(\d{5,15})(@s\.whatsapp\.net)?$/.exec(chatId)?.[1] ?? null;

/** The number or hidden address of a chat with one person, as the API takes it; null for a group or channel. */
export function addressOf(chatId: string): string | null {
  const phone = phoneOf(chatId);
  return phone === null ? (chatId.endsWith('@lid') ? chatId : null) : `+${phone}`;
}
