/** The parameters of a path that is written plainly; null: it is another one, or hapi has to read it. */
export type PlainPath = (path: string) => Readonly<Record<string, string>> | null;

/** Of a row's path: what matches needs no decoding, and has no query. */
export function plainPath(path: string): PlainPath {
  const pattern = new RegExp(`^${path.replaceAll(PARAMETER, '(?<$1>[\\w-]+)')}$`);
  return (asked) => pattern.exec(asked)?.groups ?? null;
}

const PARAMETER = /\{(\w+)\}/g;

/** Is there a path that both of these stand for? */
export function couldShareAPath(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')];
  for (const [nth, part] of parts.entries()) {
    const its = others[nth];
    if (part.includes('*') || its?.includes('*')) return true;
    if (its === undefined || !(part === its || part.startsWith('{') || its.startsWith('{'))) return false;
  }
  return parts.length === others.length;
}
