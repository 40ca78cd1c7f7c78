import type { JSX } from 'preact';
import { Icon } from './icon.tsx';

interface AvatarProps {
  /** What the colour follows from: the same one looks the same everywhere. */
  readonly id: string;
  readonly name: string;
  readonly isGroup?: boolean;
  readonly size?: 'small' | 'large';
  /** Two letters of what it is on, such as a device. */
  readonly mark?: string | undefined;
}

const GROUNDS = 8;

/** The first letters of a name, or a drawing where there is none. Nobody hears it: the name stands beside it. */
export function Avatar({ id, name, isGroup = false, size, mark }: AvatarProps): JSX.Element {
  const letters = initialsOf(name);
  return (
    <span class={['avatar', `ground-${groundOf(id)}`, size].filter(Boolean).join(' ')} aria-hidden="true">
      {letters === '' ? <Icon name={isGroup ? 'users' : 'person'} /> : letters}
      {mark !== undefined && <span class="mark">{mark}</span>}
    </span>
  );
}

/** Of the first and the last word; '' where a word is no name, as of a number. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** The first letter of a name and its last digit or letter, such as `K2` for `Kasir 2`. */
export function markOf(name: string): string {
  const signs = [...name].filter((sign) => /[\p{L}\p{N}]/u.test(sign));
  const [first = '?'] = signs;
  return (first + (signs.length > 1 ? (signs.at(-1) ?? '') : '')).toUpperCase();
}

function groundOf(id: string): number {
  let sum = 0;
  for (const sign of id) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 1_000_003;
  return (sum % GROUNDS) + 1;
}
