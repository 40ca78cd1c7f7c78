import { readdirSync, readFileSync } from 'node:fs';

const CLOSED_ON_EXEC = 0o2000000;
const OWN = 2;

let inherited: readonly number[] | null = null;

/**
 * Descriptors that the gateway inherited. Its children inherit them too, unlike descriptors that
 * the gateway opened itself.
 */
export function inheritedDescriptors(): readonly number[] {
  inherited ??= lookedFor();
  return inherited;
}

function lookedFor(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInherited);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  if (descriptor <= OWN) return false;
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
