/** A text that others wrote, with its line breaks: none of it moves the cursor or changes the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (mark) => (mark === '\n' ? '\n' : ''));
