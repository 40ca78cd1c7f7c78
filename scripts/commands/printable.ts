/** Removes all control and format characters except line breaks from untrusted text. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (mark) => (mark === '\n' ? '\n' : ''));
