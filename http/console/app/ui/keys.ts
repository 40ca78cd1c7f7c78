import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { keep, kept } from '../state/kept.ts';

/**
 * Single-key shortcuts, such as J for the next chat. They are off while the user types, while a
 * dialog is open, while Ctrl, Alt or Command is held, and if the user has disabled them. Otherwise
 * speech input or a stray keystroke could resolve a chat.
 */

export const areKeysOn = signal(kept('keys') !== 'off');

export function chooseKeys(isOn: boolean): void {
  areKeysOn.value = isOn;
  keep('keys', isOn ? null : 'off');
}

const TYPED_INTO = 'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable]';

function isFree({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey || !areKeysOn.value) return false;
  if (target instanceof Element && target.closest(TYPED_INTO)) return false;
  return document.querySelector('dialog[open]') === null;
}

const PREFIX = 'g';
const PREFIX_MS = 1_500;
let prefixedAt = Number.NEGATIVE_INFINITY;

/** Keys in lower case. `g i` means G and then I. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isFree(event)) return;
      const key = event.key.toLowerCase();
      const isSecond = event.timeStamp - prefixedAt < PREFIX_MS && key !== PREFIX;
      const act = latest.current[isSecond ? `${PREFIX} ${key}` : key];
      if (!act) return;
      event.preventDefault();
      prefixedAt = Number.NEGATIVE_INFINITY;
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Call this once, in the layout. */
export function usePrefix(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isFree(event) && event.key.toLowerCase() === PREFIX) prefixedAt = event.timeStamp;
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
