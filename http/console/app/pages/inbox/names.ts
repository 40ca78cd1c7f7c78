/** Returns null for a group or an address that hides the number. */
export const phoneOf = (chatId: string): string | null => /^(\d{5,15})(@s\.whatsapp\.net)?$/.exec(chatId)?.[1] ?? null;
