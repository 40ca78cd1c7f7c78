export const phoneOf = (chatId: string): string | null => /^(\d{5,15})(@s\.whatsapp\.net)?$/.exec(chatId)?.[1] ?? null;
