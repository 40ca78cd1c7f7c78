import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';

/** The last one-time code that a phone received. Other messages may have come after it, and some show numbers of six digits. */
export function codeOn(sandbox: Sandbox, digits: string): string {
  const texts = sandbox.phone(digits).messages(50);
  const codes = texts.flatMap(
    ({ content }) => (content.type === 'text' && /(?:sign-in code|Kode masuk Anda): (\d{6})\./.exec(content.body)?.slice(1)) || [],
  );
  return codes[0] ?? '';
}
