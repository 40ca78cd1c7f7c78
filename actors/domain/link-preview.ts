/**
 * Selects the link that gets a preview, in the text before its placeholders are filled in. A
 * contact's name therefore cannot make the gateway fetch a URL.
 */

const MAX_LENGTH = 2_048;
const LINK = new RegExp(`(?<![\\p{L}\\p{N}])https?://[^\\s<>"\`\\p{Cc}\\p{Cf}]{1,${MAX_LENGTH}}`, 'giu');
const OPENED: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const TAIL = /[.,;:!?'"»›>…]$/u;

/** Returns the first link, or null if it may work only once, because it has a query or placeholder. */
export function linkByDefault(unfilled: string): string | null {
  const link = linksIn(unfilled).find(isHttps);
  return link === undefined || /[?{]/.test(link) ? null : link;
}

export function linkAskedFor(unfilled: string, filled: string): string | null {
  const links = linksIn(unfilled);
  const link = links.find(isHttps) ?? links[0];
  if (link === undefined || !link.includes('{')) return link ?? null;
  const start = link.slice(0, link.indexOf('{'));
  // If the host comes from a placeholder, the link could lead anywhere, so do not use it.
  if (!/^https?:\/\/[^/]+\//i.test(start)) return null;
  return linksIn(filled).find((one) => one.startsWith(start)) ?? null;
}

const INVITE = /^https:\/\/(?:chat\.(whatsapp)\.com\/(?:invite\/)?|(?:www\.)?whatsapp\.com\/channel\/)([\w-]{4,64})\/?(?:[?#].*)?$/i;

export function inviteIn(link: string): { readonly to: 'group' | 'channel'; readonly code: string } | null {
  const [, isGroup, code] = INVITE.exec(link) ?? [];
  return code === undefined ? null : { to: isGroup === undefined ? 'channel' : 'group', code };
}

const isHttps = (link: string): boolean => /^https:/i.test(link);

export const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(LINK)].map(([link]) => trimmed(link)).filter((link) => URL.canParse(link));

function trimmed(link: string): string {
  const counts = new Map<string, number>();
  for (const character of link) counts.set(character, (counts.get(character) ?? 0) + 1);
  let end = link.length;
  for (;;) {
    const last = link[end - 1] ?? '';
    const opened = OPENED[last];
    const closed = counts.get(last) ?? 0;
    const isLoose = opened !== undefined && closed > (counts.get(opened) ?? 0);
    if (!isLoose && !TAIL.test(last)) return link.slice(0, end);
    counts.set(last, closed - 1);
    end -= 1;
  }
}
