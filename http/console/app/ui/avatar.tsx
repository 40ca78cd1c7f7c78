import type { JSX } from 'preact';
import { Icon } from './icon.tsx';
import { initialsOf } from './initials.ts';

interface AvatarProps {
  /** Determines the colour, so that a person's colour is the same on every page. */
  readonly id: string;
  readonly name: string;
  readonly isGroup?: boolean;
  readonly size?: 'small' | 'large';
  /** Shown instead of the initials of the name, for example `K2`. */
  readonly letters?: string;
  readonly mark?: string | undefined;
}

const GROUNDS = 8;

/** Hidden from screen readers, which read the name next to it. */
export function Avatar({ id, name, isGroup = false, size, letters = initialsOf(name), mark }: AvatarProps): JSX.Element {
  return (
    <span class={['avatar', `ground-${groundOf(id)}`, size].filter(Boolean).join(' ')} aria-hidden="true">
      {letters === '' ? <Icon name={isGroup ? 'users' : 'person'} /> : letters}
      {mark !== undefined && <span class="mark">{mark}</span>}
    </span>
  );
}

function groundOf(id: string): number {
  let sum = 0;
  for (const sign of id) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 1_000_003;
  return (sum % GROUNDS) + 1;
}
