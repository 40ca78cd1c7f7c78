/** Returns null if the path does not match or must be parsed by hapi. */
export type PlainPath = (path: string) => Readonly<Record<string, string>> | null;

export function plainPath(path: string): PlainPath {
  const pattern = new RegExp(`^${path.replaceAll(PARAMETER, '(?<$1>[\\w-]+)')}$`);
  return (asked) => pattern.exec(asked)?.groups ?? null;
}

const PARAMETER = /\{(\w+)\}/g;

export function couldShareAPath(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')];
  for (const [nth, part] of parts.entries()) {
    const its = others[nth];
    if (part.includes('*') || its?.includes('*')) return true;
    if (its === undefined || !(part === its || part.startsWith('{') || its.startsWith('{'))) return false;
  }
  return parts.length === others.length;
}
