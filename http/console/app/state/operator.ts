import { signal } from '@preact/signals';

/** Credentials kept only in memory, so that the secret must be entered again after a reload. */
interface Proof {
  readonly secret: string;
  readonly session: string | null;
}

export const operator = signal<Proof | null>(null);

const IDLE_MS = 10 * 60_000;

let idle: ReturnType<typeof setTimeout> | undefined;

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
