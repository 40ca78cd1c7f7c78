import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';

/**
 * Returns the last one-time code that a phone received. Later messages may follow it, and some contain six-digit
 * numbers.
 */
export function codeOn(sandbox: Sandbox, digits: string): string {
  const texts = sandbox.phone(digits).messages(50);
  const codes = texts.flatMap(
    ({ content }) => (content.type === 'text' && /(?:sign-in code|Kode masuk Anda): (\d{6})\./.exec(content.body)?.slice(1)) || [],
  );
  return codes[0] ?? '';
}
