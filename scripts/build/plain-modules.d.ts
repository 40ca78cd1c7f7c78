declare module '*/build/current.js' {
  export function whyNotCurrent(...parts: readonly string[]): string | null;
}
