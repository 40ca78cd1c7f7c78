/** Usernames: names by which the network knows people beside their numbers, written without `@`. Letter case does not matter. */

const FORM = /^[a-zA-Z0-9_.]{3,35}$/;
/** What looks like a domain or a file is none. */
const ENDING = /\.(com|org|net|int|edu|gov|mil|arpa|html|htm|txt|xml)$/;

/** The name in a text that may have its `@`; null: it is none. */
export function usernameIn(text: string | null | undefined): string | null {
  const name = (text ?? '').trim().replace(/^@/, '');
  const folded = foldedUsername(name);
  const isName = FORM.test(name) && /[a-z]/.test(folded) && !/^\.|\.$|\.\.|^www\./.test(folded) && !ENDING.test(folded);
  return isName ? name : null;
}

/** The same for every way to write a name. */
export const foldedUsername = (name: string): string => name.toLowerCase();
