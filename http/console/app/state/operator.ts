import { signal } from '@preact/signals';

/** The operator's credentials, in memory only: they must be entered again after a reload. */
interface Proof {
  readonly secret: string;
  /** Session of the second factor; null if no code was entered. */
  readonly session: string | null;
}

/** Null while locked: the operator's pages then request the secret. */
export const operator = signal<Proof | null>(null);

const IDLE_MS = 10 * 60_000;

let idle: ReturnType<typeof setTimeout> | undefined;

/** Opens the operator's pages. They lock after ten minutes without input. */
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

export function operatorHeaders({ secret, session }: Proof): Readonly<Record<string, string>> {
  return { 'x-admin-secret': secret, ...(session !== null && { 'x-admin-session': session }) };
}
