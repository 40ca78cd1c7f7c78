/** Usernames of people, in addition to their numbers. Written without `@`; case-insensitive. */

const FORM = /^[a-zA-Z0-9_.]{3,35}$/;
/** The network refuses a name that looks like a domain or file. */
const ENDING = /\.(com|org|net|int|edu|gov|mil|arpa|html|htm|txt|xml)$/;

export function usernameIn(text: string | null | undefined): string | null {
  const name = (text ?? '').trim().replace(/^@/, '');
  const folded = foldedUsername(name);
  const isName = FORM.test(name) && /[a-z]/.test(folded) && !/^\.|\.$|\.\.|^www\./.test(folded) && !ENDING.test(folded);
  return isName ? name : null;
}

export const foldedUsername = (name: string): string => name.toLowerCase();
