/** Makes untrusted text safe to print: removes all control and format characters except line breaks. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (mark) => (mark === '\n' ? '\n' : ''));
