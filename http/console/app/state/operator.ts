import { signal } from '@preact/signals';

/** What the operator proves who they are with, in memory only: a reload asks again. */
interface Proof {
  readonly secret: string;
  /** Of the second factor, where it is on. */
  readonly session: string | null;
}

/** Null: nobody, so the operator's pages ask. */
export const operator = signal<Proof | null>(null);

const IDLE_MS = 10 * 60_000;

let idle: ReturnType<typeof setTimeout> | undefined;

/** From now on the operator's pages are open, until nobody touched anything for ten minutes. */
export function unlockOperator(proof: Proof): void {
  operator.value = proof;
  touched();
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, touched);
}

export function lockOperator(): void {
  clearTimeout(idle);
  operator.value = null;
  for (const type of ['pointerdown', 'keydown']) removeEventListener(type, touched);
}

function touched(): void {
  clearTimeout(idle);
  idle = setTimeout(lockOperator, IDLE_MS);
}

/** Headers of an operator's call. */
export function operatorHeaders({ secret, session }: Proof): Readonly<Record<string, string>> {
  return { 'x-admin-secret': secret, ...(session !== null && { 'x-admin-session': session }) };
}
