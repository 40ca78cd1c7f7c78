/** Makes a text from outside safe to print: keeps line breaks and removes all other control and format characters. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (mark) => (mark === '\n' ? '\n' : ''));
